// SPDX-License-Identifier: Apache-2.0
// Copies and fills as a program requests them, and the values it reads back.
#include <cublas_v2.h>

#include <array>
#include <string>
#include <vector>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {
namespace {

class Copies : public DryDevices {
 protected:
  static void launch(cudaStream_t stream = nullptr) {
    static const char kernel = 0;
    EXPECT_EQ(cudaLaunchKernel(&kernel, {1, 1, 1}, {32, 1, 1}, nullptr, 0, stream), cudaSuccess);
  }

  static void put(std::byte* device, const std::string& text) {
    EXPECT_EQ(cudaMemcpy(device, text.data(), text.size(), cudaMemcpyHostToDevice), cudaSuccess);
  }

  struct Read {
    std::string text;
    std::uint64_t unknown_reads, unknown_bytes;
    bool operator==(const Read&) const = default;
  };
  static Read read(const std::byte* device, std::size_t bytes) {
    const strata_dry_gpu_counts before = strata_dry_gpu_count();
    std::string text(bytes, 'x');
    EXPECT_EQ(cudaMemcpy(text.data(), device, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    const strata_dry_gpu_counts after = strata_dry_gpu_count();
    return {text, after.unknown_reads - before.unknown_reads, after.unknown_bytes - before.unknown_bytes};
  }
  static Read known(const std::string& text) { return {text, 0, 0}; }
  static Read unknown(std::size_t bytes) { return {std::string(bytes, '\0'), 1, bytes}; }

  // Each test starts with its own memory.
  void SetUp() override {
    DryDevices::SetUp();
    device_ = allocate(4 * kMiB);
  }
  void TearDown() override { EXPECT_EQ(cudaFree(device_), cudaSuccess); }

  std::byte* device_ = nullptr;
};

TEST_F(Copies, GiveBackWhatTheHostHasPutThere) {
  EXPECT_EQ(read(device_, 4), unknown(4));
  put(device_, "abcd");
  EXPECT_EQ(read(device_, 4), known("abcd"));
  EXPECT_EQ(read(device_ + 1, 2), known("bc"));
  EXPECT_EQ(read(device_ + 2, 4), (Read{std::string("cd\0\0", 4), 1, 2})) << "a part is unknown";
  const std::string large(64 << 10, 'l');
  put(device_, large);
  EXPECT_EQ(read(device_, large.size()), known(large));
  put(device_, large + "l");
  EXPECT_EQ(read(device_, 4), unknown(4)) << "larger than what is kept";
  EXPECT_EQ(cudaMemset(device_, 'f', 3 * kMiB), cudaSuccess);
  EXPECT_EQ(read(device_ + 3 * kMiB - 2, 4), (Read{std::string("ff\0\0", 4), 1, 2}));
}

TEST_F(Copies, KnowNothingAfterAKernelOrALibrary) {
  put(device_, "abcd");
  launch();
  EXPECT_EQ(read(device_, 4), unknown(4));
  put(device_, "abcd");
  cublasHandle_t handle = nullptr;
  ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(read(device_, 4), known("abcd"));
  const float one = 1;
  auto* const matrix = reinterpret_cast<float*>(device_);
  ASSERT_EQ(
      cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, matrix, 1, matrix, 1, &one, matrix, 1),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(read(device_, 4), unknown(4));
  EXPECT_EQ(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
}

TEST_F(Copies, CarryWhatIsKnownFromDeviceToDevice) {
  put(device_, "abcd");
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  std::byte* const other = allocate(kMiB);
  EXPECT_EQ(cudaMemcpyPeer(other, 1, device_ + 1, 0, 6), cudaSuccess);
  EXPECT_EQ(read(other, 6), (Read{std::string("bcd\0\0\0", 6), 1, 3}));
  EXPECT_EQ(cudaMemcpy(other, device_ + 100, 2, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(read(other, 3), (Read{std::string("\0\0d", 3), 1, 2})) << "the unknown, too";
  EXPECT_EQ(cudaFree(other), cudaSuccess);
}

TEST_F(Copies, KnowNothingOfMemoryThatWasFreed) {
  void* block = nullptr;
  void* again = nullptr;
  ASSERT_EQ(cudaMalloc(&block, kMiB + 1), cudaSuccess);
  put(static_cast<std::byte*>(block), "abcd");
  ASSERT_EQ(cudaFree(block), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&again, kMiB + 1), cudaSuccess);
  ASSERT_EQ(again, block);
  EXPECT_EQ(read(static_cast<std::byte*>(again), 4), unknown(4));
  ASSERT_EQ(cudaFree(again), cudaSuccess);

  ASSERT_EQ(cudaMallocAsync(&block, 100, nullptr), cudaSuccess);
  put(static_cast<std::byte*>(block), "abcd");
  EXPECT_EQ(read(static_cast<std::byte*>(block), 4), known("abcd"));
  ASSERT_EQ(cudaFreeAsync(block, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&again, 100, nullptr), cudaSuccess);
  ASSERT_EQ(again, block);
  EXPECT_EQ(read(static_cast<std::byte*>(again), 4), unknown(4));
  ASSERT_EQ(cudaFreeAsync(again, nullptr), cudaSuccess);
}

TEST_F(Copies, AreMadeWhenAGraphRuns) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  std::string text = "abcd";
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(device_, text.data(), 4, cudaMemcpyHostToDevice, stream), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(device_ + 4, 'f', 2, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(read(device_, 6), unknown(6));
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  text = "ABCD";
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(read(device_, 6), known("ABCDff")) << "what the host's memory holds then";
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(Copies, TakeRowsApart) {
  std::string host(12, 'x');
  ASSERT_EQ(cudaMemcpy2D(host.data(), 4, device_, 8, 2, 3, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host, std::string("\0\0xx\0\0xx\0\0xx", 12));
  ASSERT_EQ(cudaMemcpy2D(device_, 8, "ab..cd..ef", 4, 2, 3, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(read(device_, 10), (Read{std::string("ab\0\0\0\0\0\0cd", 10), 1, 6}));
  ASSERT_EQ(cudaMemcpy2D(device_ + kMiB, 2, device_, 8, 2, 3, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(read(device_ + kMiB, 6), known("abcdef"));
  EXPECT_EQ(cudaMemcpy2D(host.data(), 1, device_, 8, 2, 3, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
}

TEST_F(Copies, BetweenHostAddressesAreCopies) {
  std::array<int, 4> host = {5, 6, 7, 8};
  std::array<int, 4> other{};
  ASSERT_EQ(cudaMemcpy(other.data(), host.data(), sizeof host, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(other, host);
}

TEST_F(Copies, AreRefusedOfWhatIsNotThere) {
  std::vector<std::byte> host(8 * kMiB);
  EXPECT_EQ(cudaMemcpy(device_, host.data(), 4 * kMiB + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device_, host.data(), 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device_ + 4 * kMiB, 0, 1), cudaErrorInvalidValue);
  std::byte* const freed = allocate(kMiB);
  EXPECT_EQ(cudaFree(freed), cudaSuccess);
  EXPECT_EQ(cudaMemset(freed, 0, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault), cudaSuccess);
}

}  // namespace
}  // namespace strata::dry_gpu
