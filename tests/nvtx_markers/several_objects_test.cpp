// SPDX-License-Identifier: Apache-2.0
// NVTX's state belongs to a shared object: two plugins that use it initialise it twice.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <set>
#include <string>

#include "tests/nvtx_markers/fake_training.hpp"
#include "tests/nvtx_markers/recording.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

void train_one_step(FakeTraining& training, std::uint64_t index) {
  const std::uint64_t step = training.begin_step(index);
  training.phase("forward", STRATA_PHASE_FORWARD);
  training.end_step(step);
}

TEST(SeveralObjects, EachTellsTheTool) {
  const TemporaryFolder folder;
  const std::filesystem::path other = folder.path() / "other_markers.so";
  std::filesystem::copy_file(NVTX_MARKERS_FILE, other);
  { FakeTraining training(NVTX_MARKERS_FILE); }  // the first has now looked for its tool

  const Recording recording;
  {
    FakeTraining first(NVTX_MARKERS_FILE, {{"memory", "none"}});
    FakeTraining second(other.c_str(), {{"memory", "none"}});
    train_one_step(first, 1);
    train_one_step(second, 2);
    train_one_step(first, 3);
  }
  EXPECT_EQ(recording.events("init").size(), 1u) << "the second object's";
  EXPECT_EQ(recording.events("domain_create").size(), 2u);
  std::multiset<std::uint64_t> steps;
  for (const nlohmann::json& event : recording.events("push")) {
    if (event["message"] == "step") steps.insert(event["payload"].get<std::uint64_t>());
  }
  EXPECT_EQ(steps, (std::multiset<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(recording.open(), 0);
}

// A process may open several sessions in sequence.
TEST(SeveralObjects, OneObjectCanServeSeveralSessions) {
  const Recording recording;
  for (std::uint64_t i = 0; i < 3; ++i) {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    train_one_step(training, i);
  }
  EXPECT_EQ(recording.events("domain_create").size(), 3u);
  EXPECT_EQ(recording.events("domain_destroy").size(), 3u);
  EXPECT_EQ(recording.open(), 0);
}

}  // namespace
}  // namespace strata::test
