// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>

#include "strata/dry_gpu.h"
#include "tests/dry_gpu/test_profile.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  char problem[256];
  if (strata_dry_gpu_choose(strata::dry_gpu::kTestProfile, problem, sizeof problem) != 0) {
    std::fprintf(stderr, "%s\n", problem);
    return 1;
  }
  return RUN_ALL_TESTS();
}
