// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/torch_release.hpp"

#include <gtest/gtest.h>
#include <torch/headeronly/version.h>

namespace strata::torch_source {
namespace {

TEST(TorchRelease, AcceptsTheOneItWasBuiltFor) {
  EXPECT_EQ(loaded_torch_release(), TORCH_ABI_VERSION);
  EXPECT_EQ(release_mismatch(loaded_torch_release()), "");
}

TEST(TorchRelease, NamesBothReleasesAndTheRemedy) {
  const std::string problem = release_mismatch(0x020F'0300'0000'0000);
  EXPECT_NE(problem.find("built for torch " TORCH_VERSION), std::string::npos) << problem;
  EXPECT_NE(problem.find("loaded torch 2.15.3"), std::string::npos) << problem;
  EXPECT_NE(problem.find("STRATA_TORCH_ROOT"), std::string::npos) << problem;
}

TEST(TorchRelease, RefusesAPatchReleaseToo) {
  EXPECT_NE(release_mismatch(TORCH_ABI_VERSION + (1ULL << 40)), "");
}

}  // namespace
}  // namespace strata::torch_source
