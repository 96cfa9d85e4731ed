// SPDX-License-Identifier: Apache-2.0
// CUDA_VISIBLE_DEVICES, as CUDA's programming guide describes it.
#include "dry_gpu/device/profile/visible_devices.hpp"

#include <gtest/gtest.h>

namespace strata::dry_gpu {
namespace {

using Devices = std::vector<int>;

TEST(VisibleDevices, AreAllWhereNothingIsSaid) {
  EXPECT_EQ(visible_devices(std::nullopt, 3), (Devices{0, 1, 2}));
}

TEST(VisibleDevices, AreThoseThatAreListedInThatOrder) {
  EXPECT_EQ(visible_devices("2,0", 4), (Devices{2, 0}));
  EXPECT_EQ(visible_devices(" 3 , 1", 4), (Devices{3, 1}));
}

TEST(VisibleDevices, EndAtTheFirstEntryThatMeansNone) {
  EXPECT_EQ(visible_devices("1,4,0", 4), Devices{1});
  EXPECT_EQ(visible_devices("1,-1,0", 4), Devices{1});
  EXPECT_EQ(visible_devices("1,,0", 4), Devices{1});
  EXPECT_EQ(visible_devices("1,1,0", 4), Devices{1});
  EXPECT_EQ(visible_devices("1x", 4), Devices{});
  EXPECT_EQ(visible_devices("32", 4), Devices{});
  EXPECT_EQ(visible_devices("", 4), Devices{});
}

TEST(VisibleDevices, MayBeNamedByWhatTheyAre) {
  EXPECT_EQ(visible_devices("GPU-73747261-7461-2d64-7279-2d6770750003,0", 4), (Devices{3, 0}));
  EXPECT_EQ(visible_devices("GPU-7374", 1), Devices{0}) << "as much as tells it apart";
  EXPECT_EQ(visible_devices("GPU-7374", 2), Devices{}) << "which?";
  EXPECT_EQ(visible_devices("GPU-8", 2), Devices{});
  EXPECT_EQ(visible_devices("MIG-7374", 1), Devices{});
}

}  // namespace
}  // namespace strata::dry_gpu
