// SPDX-License-Identifier: Apache-2.0
// Conditions on values, as the names and arguments of PyTorch's kernels show them; the names are those of
// torch 2.11.
#include "dry_gpu/device/kernels/conditions.hpp"

#include <gtest/gtest.h>

#include <array>

#include "dry_gpu/device/kernels/kernels.hpp"

namespace strata::dry_gpu {
namespace {

constexpr const char* kAllName =
    "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIbNS0_14func_wrapper_tIbZZZNS0_15and_kernel_"
    "cudaERNS_14TensorIteratorEENKUlvE_clEvENKUlvE10_clEvEUlbbE_EEjbLi4ELi4EEEEEvT1_";
constexpr const char* kSumName =
    "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIlNS0_14func_wrapper_tIlZNS0_11sum_"
    "functorIlllEclERNS_"
    "14TensorIteratorEEUlllE_EEjlLi4ELi4EEEEEvT1_";
constexpr const char* kEqualsName =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13AUnaryFunctorIllbNS0_51_GLOBAL__N__28ce311f_18_"
    "CompareEQKernel_cu_d8008c9616CompareEqFunctorIlEEEESt5arrayIPcLm2EEEEviT0_T1_";

TEST(ConditionPart, IsReadFromMangledNames) {
  EXPECT_EQ(condition_part(kAllName), ConditionPart::kAll);
  EXPECT_EQ(condition_part(kSumName), ConditionPart::kSum);
  EXPECT_EQ(condition_part(kEqualsName), ConditionPart::kEquals);
  EXPECT_EQ(
      condition_part("_ZN2at6native29vectorized_elementwise_kernelILi4EZNS0_23logical_and_kernel_cudaE"),
      ConditionPart::kNone);
  EXPECT_EQ(
      condition_part("_ZN2at6native13reduce_kernelILi512ENS0_14func_wrapper_tImZNS0_15xor_sum_functorIlvE"),
      ConditionPart::kNone);
  EXPECT_EQ(condition_part("_ZN7trainer15and_kernel_cudaEv"), ConditionPart::kNone) << "not ATen's";
  EXPECT_EQ(condition_part(""), ConditionPart::kNone);
}

class ConditionsOfAThread : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    kernels().add(&all_, kAllName, nullptr);
    kernels().add(&sum_, kSumName, nullptr);
    kernels().add(&equals_, kEqualsName, nullptr);
    kernels().add(&other_, "_ZN2at6native13reduce_kernelEv", nullptr);
  }

  // As PyTorch passes it: elements, the comparison, the tensors.
  void compare(std::int32_t operation, std::int64_t number) {
    int elements = 1;
    struct {
      std::int32_t operation;
      std::int64_t number;
    } comparison{operation, number};
    std::array<void*, 2> arguments{&elements, &comparison};
    conditions_.launched(&equals_, arguments.data());
  }

  // Host functions of kernels.
  alignas(16) static inline char all_, sum_, equals_, other_;
  Conditions conditions_;
};

TEST_F(ConditionsOfAThread, NothingWasAskedYet) {
  EXPECT_FALSE(conditions_.is_answer_yes());
}

TEST_F(ConditionsOfAThread, AllIsTrueUntilSomethingElseRuns) {
  conditions_.launched(&all_, nullptr);
  EXPECT_TRUE(conditions_.is_answer_yes());
  conditions_.launched(&other_, nullptr);
  EXPECT_FALSE(conditions_.is_answer_yes());
}

TEST_F(ConditionsOfAThread, ASumIsWhatItIsComparedWith) {
  conditions_.launched(&sum_, nullptr);
  EXPECT_FALSE(conditions_.is_answer_yes());
  compare(0, 4096);
  EXPECT_TRUE(conditions_.is_answer_yes());
  compare(0, 4096);
  EXPECT_FALSE(conditions_.is_answer_yes()) << "of a comparison, and not of a sum";
}

TEST_F(ConditionsOfAThread, ASumIsNotTakenForZeroOrForUnequal) {
  for (const auto& [operation, number] : {std::pair(0, 0), std::pair(0, -1), std::pair(1, 4096)}) {
    conditions_.launched(&sum_, nullptr);
    compare(operation, number);
    EXPECT_FALSE(conditions_.is_answer_yes()) << operation << ' ' << number;
  }
}

TEST_F(ConditionsOfAThread, ArgumentsThatAreNotKnownSayNothing) {
  conditions_.launched(&sum_, nullptr);
  conditions_.launched(&equals_, nullptr);
  EXPECT_FALSE(conditions_.is_answer_yes());
}

}  // namespace
}  // namespace strata::dry_gpu
