// SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec/program_name.hpp"

#include <gtest/gtest.h>

namespace strata::cli {
namespace {

TEST(ProgramName, IsTheScripts) {
  EXPECT_EQ(program_name({"python", "train.py"}), "train");
  EXPECT_EQ(program_name({"/usr/bin/python3.11", "-u", "src/train.py", "--size", "7b"}), "train");
  EXPECT_EQ(program_name({"torchrun", "--nproc-per-node", "2", "train.py"}), "train");
  EXPECT_EQ(program_name({"python", "-m", "torch.distributed.run", "train.py"}), "train");
}

TEST(ProgramName, IsTheModulesLastWord) {
  EXPECT_EQ(program_name({"python", "-m", "package.train"}), "train");
  EXPECT_EQ(program_name({"python", "-m", "train"}), "train");
}

TEST(ProgramName, IsTheProgramsOtherwise) {
  EXPECT_EQ(program_name({"./build/mnist", "--epochs", "3"}), "mnist");
  EXPECT_EQ(program_name({"python", "-c", "import torch"}), "python");
  EXPECT_EQ(program_name({"python", "-m"}), "python");
}

TEST(ProgramName, IsThatOfAFolder) {
  EXPECT_EQ(program_name({"python", "my train (2).py"}), "my-train--2-");
  EXPECT_EQ(program_name({"./-odd"}), "odd");
  EXPECT_EQ(program_name({"..."}), "run");
  EXPECT_EQ(program_name({""}), "run");
}

}  // namespace
}  // namespace strata::cli
