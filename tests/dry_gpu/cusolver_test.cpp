// SPDX-License-Identifier: Apache-2.0
// cuSOLVER as programs call it: settings, workspaces, and results returned to the host.
#include <cusolverDn.h>

#include <array>
#include <cstdint>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {
namespace {

class Cusolver : public DryDevices {
 protected:
  void SetUp() override {
    DryDevices::SetUp();
    ASSERT_EQ(cusolverDnCreate(&handle_), CUSOLVER_STATUS_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cusolverDnDestroy(handle_), CUSOLVER_STATUS_SUCCESS); }

  cusolverDnHandle_t handle_ = nullptr;
};

TEST_F(Cusolver, KeepsItsSettings) {
  cusolverDeterministicMode_t mode{};
  EXPECT_EQ(cusolverDnGetDeterministicMode(handle_, &mode), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(mode, CUSOLVER_DETERMINISTIC_RESULTS) << "as the documentation says of a new handle";
  EXPECT_EQ(cusolverDnSetDeterministicMode(handle_, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(cusolverDnGetDeterministicMode(handle_, &mode), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(mode, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS);

  cudaStream_t stream = nullptr, kept = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cusolverDnSetStream(handle_, stream), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(cusolverDnGetStream(handle_, &kept), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(kept, stream);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);

  EXPECT_EQ(cusolverDnCreate(nullptr), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnGetStream(nullptr, &kept), CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cusolverDnSetStream(nullptr, nullptr), CUSOLVER_STATUS_NOT_INITIALIZED);
}

TEST_F(Cusolver, AsksForTheLeastOfWhatWasNotMeasured) {
  const strata_dry_gpu_counts before = strata_dry_gpu_count();
  int elements = -1;
  EXPECT_EQ(cusolverDnSgesvd_bufferSize(handle_, 64, 32, &elements), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(elements, 0);
  const strata_dry_gpu_counts after = strata_dry_gpu_count();
  EXPECT_EQ(after.unknown_workspaces - before.unknown_workspaces, 1u);
  EXPECT_EQ(after.fitted_workspaces, before.fitted_workspaces);
}

// The sizes are an H200's (tests/data/card-h200/workspaces.jsonl).
TEST_F(Cusolver, AsksForWhatACardWasAskedFor) {
  const strata_dry_gpu_counts before = strata_dry_gpu_count();
  const auto jacobi = [&](int m, int n) {
    int elements = -1;
    EXPECT_EQ(cusolverDnSgesvdj_bufferSize(handle_, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, nullptr, m, nullptr,
                                           nullptr, m, nullptr, n, &elements, nullptr),
              CUSOLVER_STATUS_SUCCESS);
    return std::int64_t{elements} * std::int64_t{sizeof(float)};
  };
  EXPECT_EQ(jacobi(512, 512), 2'238'592);
  EXPECT_EQ(jacobi(2048, 768), 12'590'080) << "taller than wide";
  EXPECT_EQ(jacobi(768, 2048), 18'881'536) << "and a copy, transposed";
  int elements = -1;
  EXPECT_EQ(cusolverDnSorgqr_bufferSize(handle_, 4096, 1024, 1024, nullptr, 4096, nullptr, &elements),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(elements, 3'212'288 / 4);
  std::size_t device_bytes = 7, host_bytes = 7;
  EXPECT_EQ(cusolverDnXsyevd_bufferSize(handle_, nullptr, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER,
                                        2048, CUDA_R_32F, nullptr, 2048, CUDA_R_32F, nullptr, CUDA_R_32F,
                                        &device_bytes, &host_bytes),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(device_bytes, 68'281'228u);
  EXPECT_EQ(host_bytes, 0u);
  EXPECT_EQ(cusolverDnXgeqrf_bufferSize(handle_, nullptr, 64, 64, CUDA_R_32F, nullptr, 64, CUDA_R_32F,
                                        nullptr, CUDA_R_32F, &device_bytes, &host_bytes),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(device_bytes, 3'145'856u);
  const strata_dry_gpu_counts after = strata_dry_gpu_count();
  EXPECT_EQ(after.fitted_workspaces - before.fitted_workspaces, 6u);
  EXPECT_EQ(after.unknown_workspaces, before.unknown_workspaces);
}

TEST_F(Cusolver, RefusesAWorkspaceThatAnIntCannotHold) {
  int elements = -1;
  const auto ask = [&](int n) {
    return cusolverDnDsyevj_bufferSize(handle_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, nullptr,
                                       n, nullptr, &elements, nullptr);
  };
  EXPECT_EQ(ask(46'000), CUSOLVER_STATUS_SUCCESS);
  EXPECT_GT(elements, 46'000 * 46'000);
  elements = -1;
  EXPECT_EQ(ask(2'000'000'000), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(elements, -1);
  std::size_t device_bytes = 0, host_bytes = 0;
  constexpr std::int64_t kHuge = std::int64_t{1} << 50;
  EXPECT_EQ(cusolverDnXsyevd_bufferSize(handle_, nullptr, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER,
                                        kHuge, CUDA_C_64F, nullptr, kHuge, CUDA_R_64F, nullptr, CUDA_C_64F,
                                        &device_bytes, &host_bytes),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_GT(device_bytes, std::size_t{1} << 50) << "more than any card has";
}

// As documented for each: CUSOLVER_STATUS_INVALID_VALUE for m, n < 0 or lda < max(1, m).
TEST_F(Cusolver, RefusesShapesThatCannotBe) {
  const std::uint64_t before = strata_dry_gpu_count().fitted_workspaces;
  int elements = 0;
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(handle_, 8, 4, nullptr, 7, &elements), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(handle_, -1, 4, nullptr, 8, &elements),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(handle_, 0, 4, nullptr, 0, &elements), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(handle_, 0, 4, nullptr, 1, &elements), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(handle_, 8, 4, nullptr, 8, nullptr), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(nullptr, 8, 4, nullptr, 8, &elements),
            CUSOLVER_STATUS_NOT_INITIALIZED);
  // Q has no more columns than rows.
  EXPECT_EQ(cusolverDnSorgqr_bufferSize(handle_, 4, 8, 4, nullptr, 8, nullptr, &elements),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnCunmqr_bufferSize(handle_, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, 8, 3, 9, nullptr, 8, nullptr,
                                        nullptr, 8, &elements),
            CUSOLVER_STATUS_INVALID_VALUE);
  // The batched Jacobi method takes matrices of at most 32 by 32.
  EXPECT_EQ(cusolverDnSgesvdjBatched_bufferSize(handle_, CUSOLVER_EIG_MODE_VECTOR, 33, 8, nullptr, 33,
                                                nullptr, nullptr, 33, nullptr, 8, &elements, nullptr, 2),
            CUSOLVER_STATUS_INVALID_VALUE);
  std::size_t device_bytes = 0, host_bytes = 0;
  EXPECT_EQ(cusolverDnXsyevd_bufferSize(handle_, nullptr, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 8,
                                        CUDA_R_64F, nullptr, 4, CUDA_R_64F, nullptr, CUDA_R_64F,
                                        &device_bytes, &host_bytes),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(strata_dry_gpu_count().fitted_workspaces - before, 1u) << "an error is no answer";
}

TEST_F(Cusolver, ComputesNothingAndTellsTheHostNothingButZero) {
  const strata_dry_gpu_counts before = strata_dry_gpu_count();
  EXPECT_EQ(cusolverDnSpotrf(handle_, CUBLAS_FILL_MODE_LOWER, 1, nullptr, 1, nullptr, 0, nullptr),
            CUSOLVER_STATUS_SUCCESS);

  gesvdjInfo_t info = nullptr;
  ASSERT_EQ(cusolverDnCreateGesvdjInfo(&info), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(cusolverDnXgesvdjSetTolerance(info, 1e-7), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(cusolverDnXgesvdjSetMaxSweeps(info, 15), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(cusolverDnXgesvdjSetMaxSweeps(nullptr, 15), CUSOLVER_STATUS_INVALID_VALUE);
  int sweeps = 9;
  EXPECT_EQ(cusolverDnXgesvdjGetSweeps(handle_, info, &sweeps), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(sweeps, 0);
  EXPECT_EQ(cusolverDnDestroyGesvdjInfo(info), CUSOLVER_STATUS_SUCCESS);

  std::array<double, 3> residuals{1, 2, 3};
  EXPECT_EQ(
      cusolverDnSgesvdaStridedBatched(handle_, CUSOLVER_EIG_MODE_VECTOR, 2, 4, 4, nullptr, 4, 16, nullptr, 2,
                                      nullptr, 4, 8, nullptr, 4, 8, nullptr, 0, nullptr, residuals.data(), 2),
      CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(residuals, (std::array<double, 3>{0, 0, 3})) << "one for each matrix of the batch";

  const strata_dry_gpu_counts after = strata_dry_gpu_count();
  EXPECT_EQ(after.library_calls - before.library_calls, 2u);
  EXPECT_EQ(after.unknown_reads - before.unknown_reads, 2u);
  EXPECT_EQ(after.unknown_bytes - before.unknown_bytes, sizeof sweeps + 2 * sizeof(double));
}

TEST_F(Cusolver, WorksInNoStreamThatWasDestroyed) {
  const auto factorise = [&] {
    return cusolverDnSpotrf(handle_, CUBLAS_FILL_MODE_LOWER, 1, nullptr, 1, nullptr, 0, nullptr);
  };
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cusolverDnSetStream(handle_, stream), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(factorise(), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(factorise(), CUSOLVER_STATUS_EXECUTION_FAILED);
}

// With cuSOLVER's own status.
TEST_F(Cusolver, RefusesWhatIsNotImplemented) {
  EXPECT_EQ(cusolverDnSgebrd_bufferSize(handle_, 4, 4, nullptr), CUSOLVER_STATUS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace strata::dry_gpu
