// SPDX-License-Identifier: Apache-2.0
// cuFFT as programs call it: plans, their errors, and transforms that compute nothing.
#include <cufftXt.h>

#include <array>

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

TEST_F(Cufft, MakesAPlanOnceAndNeedsTheLeast) {
  const std::uint64_t before = strata_dry_gpu_count().unknown_workspaces;
  std::size_t bytes = 7;
  EXPECT_EQ(cufftGetSize(plan_, &bytes), CUFFT_INVALID_PLAN) << "it is not made";
  EXPECT_EQ(cufftSetAutoAllocation(plan_, 0), CUFFT_SUCCESS);
  EXPECT_EQ(make({12, 10}, CUDA_R_32F, CUDA_C_32F, CUDA_C_32F), CUFFT_SUCCESS);
  EXPECT_EQ(work_bytes_, 0u);
  EXPECT_EQ(strata_dry_gpu_count().unknown_workspaces - before, 1u);
  EXPECT_EQ(cufftGetSize(plan_, &bytes), CUFFT_SUCCESS);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(make({12, 10}, CUDA_R_32F, CUDA_C_32F, CUDA_C_32F), CUFFT_INVALID_PLAN);
  EXPECT_EQ(strata_dry_gpu_count().unknown_workspaces - before, 1u);
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
