// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/nearest_name.hpp"

#include <gtest/gtest.h>

namespace strata {
namespace {

const std::vector<std::string> kPlugins = {"allocator_tracer", "nvtx_markers", "cupti_timeline"};

TEST(NearestName, FindsAMisspeltName) {
  EXPECT_EQ(nearest_name("alocator_tracer", kPlugins), "allocator_tracer");
  EXPECT_EQ(nearest_name("nvtx-marker", kPlugins), "nvtx_markers");
  EXPECT_EQ(nearest_name("cutpi_timeline", kPlugins), "cupti_timeline");
}

TEST(NearestName, FindsNothingForAnotherWord) {
  EXPECT_EQ(nearest_name("profiler", kPlugins), std::nullopt);
  EXPECT_EQ(nearest_name("", kPlugins), std::nullopt);
  EXPECT_EQ(nearest_name("x", {}), std::nullopt);
}

TEST(NearestName, AShortNameMayDifferInOneLetter) {
  EXPECT_EQ(nearest_name("lt", {"lr"}), "lr");
  EXPECT_EQ(nearest_name("xy", {"lr"}), std::nullopt);
}

TEST(NearestName, OfTwoTheNearerAndOfEqualsTheFirst) {
  EXPECT_EQ(nearest_name("layer", {"player", "layers", "lawyer"}), "player");
  EXPECT_EQ(nearest_name("step_count", {"step_mount", "steps_counts"}), "step_mount");
}

}  // namespace
}  // namespace strata
