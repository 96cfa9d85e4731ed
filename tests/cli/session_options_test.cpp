// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/session_options.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/config/loading/load.hpp"

namespace strata::test {
namespace {

SessionOptions options_of(const std::string& yaml) {
  return cli::session_options(config::parse_config("model: {size: small}\n" + yaml, "t.yaml"), "/runs/x");
}

TEST(SessionOptionsOf, CarryTheConfiguration) {
  const SessionOptions options = options_of(
      "schedule: {wait: 1, warmup: 2, active: 3}\nstrict: true\nstore: {on_full: drop, spool_bytes: "
      "64KiB, max_mb: 512}\n");
  EXPECT_EQ(options.name, "t");
  EXPECT_EQ(options.directory, "/runs/x");
  EXPECT_EQ(options.schedule.wait, 1u);
  EXPECT_EQ(options.schedule.warmup, 2u);
  EXPECT_EQ(options.schedule.active, 3u);
  EXPECT_EQ(options.store.on_full, OnFull::kDrop);
  EXPECT_EQ(options.store.spool_bytes, 65536u);
  EXPECT_EQ(options.store.max_mb, 512u);
  EXPECT_TRUE(options.strict);
}

TEST(SessionOptionsOf, LoadTheTorchSourceOnlyForPlugins) {
  EXPECT_TRUE(options_of("").sources.empty());
  const SessionOptions options = options_of("plugins: [allocator_tracer]\ntrace: {saved_tensors: true}\n");
  ASSERT_EQ(options.sources.size(), 1u);
  EXPECT_EQ(options.sources.front().name, "torch");
  std::string texts;
  for (const PluginOption& option : options.sources.front().options)
    texts += option.key + "=" + option.text + " ";
  EXPECT_EQ(
      texts,
      "ops=window detail=auto saved_tensors=true cross_check=false memory_samples=phase layer_outputs=false "
      "shapes=false ");
}

TEST(SessionOptionsOf, LoadTheCuptiSourceOnlyForDevices) {
  EXPECT_TRUE(options_of("device: {dry: h100-80gb}\n").sources.empty());
  const SessionOptions options = options_of(
      "plugins: [allocator_tracer]\ndevice: {dry: h100-80gb}\ncupti: {on_busy: wait, kinds: 'kernel,api'}\n");
  ASSERT_EQ(options.sources.size(), 2u);
  EXPECT_EQ(options.sources[1].name, "cupti");
  std::string texts;
  for (const PluginOption& option : options.sources[1].options) texts += option.key + "=" + option.text + " ";
  EXPECT_EQ(texts, "on_busy=wait kinds=kernel,api graphs=graph from=window finalize_on_stop=false ");
}

}  // namespace
}  // namespace strata::test
