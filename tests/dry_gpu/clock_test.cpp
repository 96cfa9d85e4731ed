// SPDX-License-Identifier: Apache-2.0
// CUDA's functions with a modelled clock: times are computed by hand from clock_profile.hpp. A call that
// concerns a stream takes the host 100 ns; a fill of 1,000,000 bytes takes 1,000 + 1,000,000 / 500 = 3,000
// ns.
#include <cublas_v2.h>
#include <cuda.h>

#include <array>
#include <cmath>
#include <vector>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {
namespace {

constexpr std::size_t kFillBytes = 1'000'000;
constexpr int kFill = 3000;

class ModelledClock : public DryDevices {
 protected:
  void SetUp() override {
    DryDevices::SetUp();
    memory_ = allocate(4 * kMiB);
    for (cudaEvent_t& event : events_) ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    for (cudaStream_t& stream : streams_)
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }

  void TearDown() override {
    for (cudaEvent_t event : events_) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    for (cudaStream_t stream : streams_) EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaFree(memory_), cudaSuccess);
  }

  void fill(cudaStream_t stream) { ASSERT_EQ(cudaMemsetAsync(memory_, 0, kFillBytes, stream), cudaSuccess); }
  void record(int event, cudaStream_t stream) {
    ASSERT_EQ(cudaEventRecord(events_[static_cast<std::size_t>(event)], stream), cudaSuccess);
  }
  // Nanoseconds, once both are done.
  int elapsed(int from, int to) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    float milliseconds = -1;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events_[static_cast<std::size_t>(from)],
                                   events_[static_cast<std::size_t>(to)]),
              cudaSuccess);
    return static_cast<int>(std::lround(milliseconds * 1e6F));
  }

  std::byte* memory_ = nullptr;
  std::array<cudaEvent_t, 4> events_{};
  std::array<cudaStream_t, 2> streams_{};
};

TEST_F(ModelledClock, LastsAsLongAsItsWork) {
  fill(streams_[0]);
  record(0, streams_[0]);
  fill(streams_[0]);
  fill(streams_[0]);
  record(1, streams_[0]);
  const std::uint64_t unknown = strata_dry_gpu_count().unknown_times;
  EXPECT_EQ(elapsed(0, 1), 2 * kFill);
  EXPECT_EQ(strata_dry_gpu_count().unknown_times, unknown) << "a modelled time is no unknown one";
}

TEST_F(ModelledClock, BeginsWhenTheHostSubmits) {
  record(0, streams_[0]);
  fill(streams_[0]);
  record(1, streams_[0]);
  EXPECT_EQ(elapsed(0, 1), 100 + kFill) << "the stream was idle until then";
}

TEST_F(ModelledClock, HasEventsThatAreNotDoneYet) {
  fill(streams_[0]);
  record(0, streams_[0]);  // done 3,000 ns after the fill was submitted: the 30th call afterwards sees it
  EXPECT_EQ(cudaEventQuery(events_[0]), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(streams_[0]), cudaErrorNotReady);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events_[0], events_[0]), cudaErrorNotReady);
  int more = 0;
  while (cudaEventQuery(events_[0]) == cudaErrorNotReady) ++more;
  EXPECT_EQ(more, 25);
  EXPECT_EQ(cudaStreamQuery(streams_[0]), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);

  fill(streams_[0]);
  record(0, streams_[0]);
  EXPECT_EQ(cudaEventSynchronize(events_[0]), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(events_[0]), cudaSuccess);
  fill(streams_[0]);
  EXPECT_EQ(cudaStreamSynchronize(streams_[0]), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(streams_[0]), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(events_[1]), cudaSuccess) << "never recorded";
}

TEST_F(ModelledClock, RunsStreamsBesideEachOther) {
  record(0, streams_[0]);
  fill(streams_[0]);
  fill(streams_[1]);
  record(1, streams_[0]);
  record(2, streams_[1]);
  EXPECT_EQ(elapsed(0, 1), 100 + kFill);
  EXPECT_EQ(elapsed(0, 2), 200 + kFill);
}

TEST_F(ModelledClock, OrdersStreamsByEvents) {
  record(0, streams_[0]);
  fill(streams_[0]);
  record(1, streams_[0]);
  ASSERT_EQ(cudaStreamWaitEvent(streams_[1], events_[1], 0), cudaSuccess);
  fill(streams_[1]);
  record(2, streams_[1]);
  EXPECT_EQ(elapsed(0, 2), 100 + 2 * kFill);
}

TEST_F(ModelledClock, WaitsForADeviceWhoseStreamWaitsForAnother) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  cudaStream_t waiting = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  fill(streams_[0]);
  record(0, streams_[0]);
  ASSERT_EQ(cudaStreamWaitEvent(waiting, events_[0], 0), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(waiting), cudaErrorNotReady);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(waiting), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(events_[0]), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(waiting), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  cudaGetLastError();
}

TEST_F(ModelledClock, OrdersBlockingStreamsAndTheLegacyOne) {
  cudaStream_t blocking = nullptr;
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  record(0, blocking);
  fill(blocking);
  fill(nullptr);
  fill(blocking);
  record(1, blocking);
  fill(streams_[0]);
  record(2, streams_[0]);
  EXPECT_EQ(elapsed(0, 1), 100 + 3 * kFill);
  EXPECT_EQ(elapsed(0, 2), 500 + kFill) << "a stream that does not block";
  EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
}

// 1,000 ns and 10 bytes a nanosecond.
TEST_F(ModelledClock, WaitsForCopiesAsTheHostDoes) {
  void* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, 100'000, cudaHostAllocDefault), cudaSuccess);
  std::vector<std::byte> pageable(100'000);
  ASSERT_EQ(cudaMemcpyAsync(memory_, pinned, 100'000, cudaMemcpyHostToDevice, streams_[0]), cudaSuccess);
  record(0, streams_[0]);
  EXPECT_EQ(cudaEventQuery(events_[0]), cudaErrorNotReady);
  ASSERT_EQ(cudaMemcpyAsync(pinned, memory_, 100'000, cudaMemcpyDeviceToHost, streams_[0]), cudaSuccess);
  record(1, streams_[0]);
  EXPECT_EQ(cudaEventQuery(events_[1]), cudaErrorNotReady);
  EXPECT_EQ(elapsed(0, 1), 11'000);

  ASSERT_EQ(cudaMemcpyAsync(pageable.data(), memory_, 100'000, cudaMemcpyDeviceToHost, streams_[0]),
            cudaSuccess);
  record(2, streams_[0]);
  EXPECT_EQ(cudaEventQuery(events_[2]), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(memory_, pinned, 100'000, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(memory_, memory_ + kMiB, kMiB, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  cudaGetLastError();
}

TEST_F(ModelledClock, WaitsForAllWorkWhenMemoryIsFreed) {
  void* other = allocate(kMiB);
  fill(streams_[0]);
  record(0, streams_[0]);
  EXPECT_EQ(cudaEventQuery(events_[0]), cudaErrorNotReady);
  ASSERT_EQ(cudaFree(other), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(events_[0]), cudaSuccess);

  CUdeviceptr of_the_driver = 0;
  ASSERT_EQ(cuMemAlloc(&of_the_driver, kMiB), CUDA_SUCCESS);
  fill(streams_[0]);
  record(0, streams_[0]);
  ASSERT_EQ(cuMemFree(of_the_driver), CUDA_SUCCESS);
  EXPECT_EQ(cudaEventQuery(events_[0]), cudaSuccess);
  cudaGetLastError();
}

TEST_F(ModelledClock, ReplaysGraphsInTheStreamThatLaunchesThem) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeGlobal), cudaSuccess);
  fill(streams_[0]);
  fill(streams_[0]);
  ASSERT_EQ(cudaStreamEndCapture(streams_[0], &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(streams_[0]), cudaSuccess) << "nothing ran yet";
  fill(streams_[1]);
  record(0, streams_[1]);
  ASSERT_EQ(cudaGraphLaunch(executable, streams_[1]), cudaSuccess);
  record(1, streams_[1]);
  EXPECT_EQ(elapsed(0, 1), 2 * kFill);

  record(0, streams_[0]);
  ASSERT_EQ(cudaGraphLaunch(executable, streams_[1]), cudaSuccess);
  record(1, streams_[0]);
  EXPECT_EQ(elapsed(0, 1), 200) << "of the host's, a launch takes one call, however many nodes there are";
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

// 2 x 1000^3 operations: 400,000 ns in FP32, 40,000 in TF32; 12 MB: 24,000 ns.
TEST_F(ModelledClock, TimesMatrixProducts) {
  cublasHandle_t handle = nullptr;
  ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasSetStream(handle, streams_[0]), CUBLAS_STATUS_SUCCESS);
  const float one = 1;
  auto* const matrix = reinterpret_cast<float*>(memory_);
  const auto multiply = [&](int m) {
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, 1000, 1000, &one, matrix, 1000, matrix, 1000,
                       &one, matrix, 1000);
  };
  fill(streams_[0]);
  record(0, streams_[0]);
  ASSERT_EQ(multiply(1000), CUBLAS_STATUS_SUCCESS);
  record(1, streams_[0]);
  ASSERT_EQ(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(multiply(1000), CUBLAS_STATUS_SUCCESS);
  record(2, streams_[0]);
  // One row: 4 MB of B, and 8,000 bytes.
  ASSERT_EQ(multiply(1), CUBLAS_STATUS_SUCCESS);
  record(3, streams_[0]);
  EXPECT_EQ(elapsed(0, 1), 401'000);
  EXPECT_EQ(elapsed(1, 2), 41'000);
  EXPECT_EQ(elapsed(2, 3), 1000 + 8016);
  EXPECT_EQ(multiply(-1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(1001), CUBLAS_STATUS_INVALID_VALUE) << "more rows than between two columns";
  EXPECT_EQ(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
}

TEST_F(ModelledClock, KeepsAnAccountByModel) {
  using Models = std::array<strata_dry_gpu_modelled, STRATA_DRY_GPU_MODELS>;
  Models before{};
  Models after{};
  ASSERT_EQ(strata_dry_gpu_count_modelled(before.data()), 1);
  fill(streams_[0]);
  fill(streams_[1]);
  const char kernel = 0;
  ASSERT_EQ(cudaLaunchKernel(&kernel, {100, 1, 1}, {256, 1, 1}, nullptr, 0, streams_[0]), cudaSuccess);
  ASSERT_EQ(strata_dry_gpu_count_modelled(after.data()), 1);
  EXPECT_EQ(after[4].works - before[4].works, 2u);
  EXPECT_EQ(after[4].ns - before[4].ns, 2u * kFill);
  EXPECT_EQ(after[5].works - before[5].works, 1u);
  EXPECT_EQ(after[5].ns - before[5].ns, 1000u + 819) << "25,600 threads, 16 bytes each";
  EXPECT_EQ(after[0].works, before[0].works);
}

}  // namespace
}  // namespace strata::dry_gpu
