// SPDX-License-Identifier: Apache-2.0
// cuFFT as programs call it: plans, their errors, and transforms that compute nothing.
#include <cufftXt.h>

#include <array>
#include <cstdint>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {
namespace {

class Cufft : public DryDevices {
 protected:
  void SetUp() override {
    DryDevices::SetUp();
    ASSERT_EQ(cufftCreate(&plan_), CUFFT_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cufftDestroy(plan_), CUFFT_SUCCESS); }

  cufftResult make(std::array<long long, 2> lengths, cudaDataType input, cudaDataType output,
                   cudaDataType execution, int rank = 2, long long batch = 3) {
    work_bytes_ = 7;
    return cufftXtMakePlanMany(plan_, rank, lengths.data(), nullptr, 1, 1, input, nullptr, 1, 1, output,
                               batch, &work_bytes_, execution);
  }

  cufftHandle plan_ = 0;
  std::size_t work_bytes_ = 0;
};

TEST_F(Cufft, MakesAPlanOnceAndSaysWhatItNeeds) {
  const std::uint64_t before = strata_dry_gpu_count().fitted_workspaces;
  std::size_t bytes = 7;
  EXPECT_EQ(cufftGetSize(plan_, &bytes), CUFFT_INVALID_PLAN) << "it is not made";
  EXPECT_EQ(cufftSetAutoAllocation(plan_, 0), CUFFT_SUCCESS);
  EXPECT_EQ(make({12, 10}, CUDA_R_32F, CUDA_C_32F, CUDA_C_32F), CUFFT_SUCCESS);
  EXPECT_EQ(work_bytes_, 0u);
  EXPECT_EQ(strata_dry_gpu_count().fitted_workspaces - before, 1u);
  EXPECT_EQ(cufftGetSize(plan_, &bytes), CUFFT_SUCCESS);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(make({12, 10}, CUDA_R_32F, CUDA_C_32F, CUDA_C_32F), CUFFT_INVALID_PLAN);
  EXPECT_EQ(strata_dry_gpu_count().fitted_workspaces - before, 1u);
}

// The sizes are an H200's (tests/data/card-h200/workspaces.jsonl).
TEST_F(Cufft, NeedsWhatACardNeeded) {
  std::size_t bytes = 7;
  const auto needed = [&](int length, cufftType type, int batch) {
    EXPECT_EQ(cufftEstimate1d(length, type, batch, &bytes), CUFFT_SUCCESS);
    return bytes;
  };
  EXPECT_EQ(needed(4096, CUFFT_C2C, 32), 0u);
  EXPECT_EQ(needed(1023, CUFFT_R2C, 2048), 16'760'832u) << "an odd length, as complex values";
  EXPECT_EQ(needed(2044, CUFFT_C2R, 2048), 16'760'832u);
  EXPECT_EQ(needed(4194304, CUFFT_R2C, 1), 16'777'224u) << "more than one kernel";
  // A prime above 127 uses Bluestein's algorithm.
  EXPECT_EQ(needed(1000003, CUFFT_C2C, 8), 259'201'024u);
  EXPECT_EQ(needed(1000003, CUFFT_R2C, 8), 161'601'632u);
  EXPECT_EQ(needed(2000004, CUFFT_C2R, 8), 323'201'152u);
  EXPECT_EQ(needed(4194304, CUFFT_Z2Z, 1), 2u * 33'554'432u) << "twice what single precision needs";
  EXPECT_EQ(make({8, 1000003}, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, 2, 1), CUFFT_SUCCESS);
  EXPECT_EQ(work_bytes_, 259'201'024u);
  EXPECT_EQ(cufftGetSize(plan_, &bytes), CUFFT_SUCCESS);
  EXPECT_EQ(bytes, work_bytes_);
}

TEST_F(Cufft, AllocatesAWorkAreaThatTheCallerDoesNot) {
  std::size_t before = 0, with = 0, after = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  cufftHandle own = 0, callers = 0;
  ASSERT_EQ(cufftPlan1d(&own, 4194304, CUFFT_C2C, 1), CUFFT_SUCCESS);
  ASSERT_EQ(cufftCreate(&callers), CUFFT_SUCCESS);
  ASSERT_EQ(cufftSetAutoAllocation(callers, 0), CUFFT_SUCCESS);
  std::size_t bytes = 0;
  ASSERT_EQ(cufftMakePlan1d(callers, 4194304, CUFFT_C2C, 1, &bytes), CUFFT_SUCCESS);
  ASSERT_EQ(cudaMemGetInfo(&with, &total), cudaSuccess);
  EXPECT_EQ(before - with, 33'554'432u);
  EXPECT_EQ(bytes, 33'554'432u);
  EXPECT_EQ(cufftDestroy(own), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(callers), CUFFT_SUCCESS);
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(after, before);
  cufftHandle none = 0;
  EXPECT_EQ(cufftPlan1d(&none, 1 << 30, CUFFT_C2C, 1 << 20), CUFFT_ALLOC_FAILED);
}

TEST_F(Cufft, KnowsWhichTransformsThereAre) {
  EXPECT_EQ(make({0, 10}, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F), CUFFT_INVALID_SIZE);
  EXPECT_EQ(make({8, 8}, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, 2, 0), CUFFT_INVALID_SIZE);
  EXPECT_EQ(make({8, 8}, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, 4), CUFFT_INVALID_VALUE);
  EXPECT_EQ(make({8, 8}, CUDA_C_32F, CUDA_C_64F, CUDA_C_32F), CUFFT_INVALID_TYPE);
  EXPECT_EQ(make({8, 8}, CUDA_R_32F, CUDA_R_32F, CUDA_C_32F), CUFFT_INVALID_TYPE);
  EXPECT_EQ(make({8, 12}, CUDA_C_16F, CUDA_C_16F, CUDA_C_16F), CUFFT_INVALID_SIZE)
      << "half precision is for powers of two";
  EXPECT_EQ(work_bytes_, 7u);
  EXPECT_EQ(make({8, 16}, CUDA_C_16F, CUDA_C_16F, CUDA_C_16F), CUFFT_SUCCESS) << "an error made nothing";
}

TEST_F(Cufft, KnowsWhichTypesAndSizesTheOlderFunctionsTake) {
  std::array<int, 4> lengths{8, 8, 8, 8};
  std::size_t bytes = 7;
  const auto make_many = [&](int rank, int* of, int type, int batch) {
    return cufftMakePlanMany(plan_, rank, of, nullptr, 1, 1, nullptr, 1, 1, static_cast<cufftType>(type),
                             batch, &bytes);
  };
  EXPECT_EQ(make_many(2, lengths.data(), CUFFT_Z2D + 1, 1), CUFFT_INVALID_TYPE) << "above the last";
  EXPECT_EQ(make_many(2, lengths.data(), CUFFT_C2C - 1, 1), CUFFT_INVALID_TYPE) << "below the first";
  EXPECT_EQ(make_many(0, lengths.data(), CUFFT_R2C, 1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(make_many(4, lengths.data(), CUFFT_R2C, 1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(make_many(2, nullptr, CUFFT_R2C, 1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(make_many(2, lengths.data(), CUFFT_R2C, 0), CUFFT_INVALID_SIZE);
  lengths[1] = -8;
  EXPECT_EQ(make_many(2, lengths.data(), CUFFT_R2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftMakePlan1d(plan_, 0, CUFFT_R2C, 1, &bytes), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftGetSize2d(plan_, 8, -1, CUFFT_R2C, &bytes), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftEstimate3d(8, 8, 0, CUFFT_R2C, &bytes), CUFFT_INVALID_SIZE);
  EXPECT_EQ(bytes, 7u);
  EXPECT_EQ(make_many(1, lengths.data(), CUFFT_R2C, 1), CUFFT_SUCCESS) << "an error made nothing";
}

TEST_F(Cufft, TransformsNothingAndSaysHowOften) {
  EXPECT_EQ(cufftXtExec(plan_, this, this, CUFFT_FORWARD), CUFFT_INVALID_PLAN) << "it is not made";
  ASSERT_EQ(make({8, 8}, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F), CUFFT_SUCCESS);
  std::byte* const memory = allocate(3 * 64 * sizeof(cufftDoubleComplex));
  const std::uint64_t before = strata_dry_gpu_count().library_calls;
  EXPECT_EQ(cufftXtExec(plan_, memory, memory, CUFFT_INVERSE), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtExec(plan_, nullptr, memory, CUFFT_INVERSE), CUFFT_INVALID_VALUE);
  auto* const values = reinterpret_cast<cufftDoubleComplex*>(memory);
  EXPECT_EQ(cufftExecZ2Z(plan_, values, values, 0), CUFFT_INVALID_VALUE) << "no direction";
  EXPECT_EQ(strata_dry_gpu_count().library_calls - before, 1u);

  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cufftSetStream(plan_, stream), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtExec(plan_, memory, memory, CUFFT_FORWARD), CUFFT_SUCCESS);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cufftXtExec(plan_, memory, memory, CUFFT_FORWARD), CUFFT_EXEC_FAILED);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(Cufft, HasPlansApart) {
  cufftHandle other = 0;
  EXPECT_EQ(cufftPlan1d(&other, 12, CUFFT_C2C, 2), CUFFT_SUCCESS);
  EXPECT_NE(other, plan_);
  std::size_t bytes = 7;
  EXPECT_EQ(cufftGetSize(other, &bytes), CUFFT_SUCCESS);
  EXPECT_EQ(cufftGetSize(plan_, &bytes), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftDestroy(other), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(other), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftGetSize(other, &bytes), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftPlan1d(&other, 12, static_cast<cufftType>(1), 2), CUFFT_INVALID_TYPE);
}

}  // namespace
}  // namespace strata::dry_gpu
