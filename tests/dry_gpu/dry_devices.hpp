// SPDX-License-Identifier: Apache-2.0
// The devices of test_profile.hpp, selected before the first test, and the initial state of each
// test.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "strata/dry_gpu.h"

namespace strata::dry_gpu {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kTotal = std::size_t{1} << 30;
constexpr std::size_t kContext = std::size_t{64} << 20;

class DryDevices : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    cudaGetLastError();
  }

  // Bytes in use beyond the context's, on the current device.
  static std::size_t used_bytes() {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    EXPECT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
    EXPECT_EQ(total_bytes, kTotal);
    return total_bytes - free_bytes - kContext;
  }

  static std::byte* allocate(std::size_t bytes) {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, bytes), cudaSuccess);
    return static_cast<std::byte*>(pointer);
  }
};

}  // namespace strata::dry_gpu
