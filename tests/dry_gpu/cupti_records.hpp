// SPDX-License-Identifier: Apache-2.0
// A client of the dry CUPTI, and the records it receives.
#pragma once

#include <cupti.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {

inline constexpr std::size_t kBufferBytes = 1024;  // about five kernels

inline std::vector<std::vector<std::uint8_t>> the_buffers;  // in order of completion
inline int the_requests = 0;

inline void CUPTIAPI request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  ++the_requests;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = kBufferBytes;
  *most_records = 0;
}

inline void CUPTIAPI complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                              std::size_t valid_bytes) {
  the_buffers.emplace_back(buffer, buffer + valid_bytes);
  std::free(buffer);
}

struct Recorded {
  std::vector<CUpti_ActivityKernel10> kernels;
  std::vector<CUpti_ActivityMemcpy6> copies;
  std::vector<CUpti_ActivityMemset4> fills;
  int fills_before_their_calls = 0;
  std::map<std::uint32_t, CUpti_ActivityAPI> calls;  // by correlation
  std::map<std::uint32_t, std::uint64_t> external;   // by correlation, too
};

template <typename Activity>
Activity read(const CUpti_Activity* record) {
  Activity activity{};
  std::memcpy(&activity, record, sizeof activity);
  return activity;
}

inline Recorded flush() {
  EXPECT_EQ(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), CUPTI_SUCCESS);
  Recorded all;
  for (std::vector<std::uint8_t>& buffer : the_buffers) {
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer.data(), buffer.size(), &record) == CUPTI_SUCCESS) {
      switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
          all.kernels.push_back(read<CUpti_ActivityKernel10>(record));
          break;
        case CUPTI_ACTIVITY_KIND_MEMCPY:
          all.copies.push_back(read<CUpti_ActivityMemcpy6>(record));
          break;
        case CUPTI_ACTIVITY_KIND_MEMSET:
          all.fills.push_back(read<CUpti_ActivityMemset4>(record));
          all.fills_before_their_calls += !all.calls.contains(all.fills.back().correlationId);
          break;
        case CUPTI_ACTIVITY_KIND_RUNTIME:
        case CUPTI_ACTIVITY_KIND_DRIVER: {
          const auto call = read<CUpti_ActivityAPI>(record);
          all.calls[call.correlationId] = call;
          break;
        }
        case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
          const auto correlation = read<CUpti_ActivityExternalCorrelation>(record);
          all.external[correlation.correlationId] = correlation.externalId;
          break;
        }
        default:
          ADD_FAILURE() << "a record of kind " << record->kind;
      }
    }
  }
  the_buffers.clear();
  return all;
}

class Cupti : public DryDevices {
 protected:
  static constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                  CUPTI_ACTIVITY_KIND_MEMCPY,
                                                  CUPTI_ACTIVITY_KIND_MEMSET,
                                                  CUPTI_ACTIVITY_KIND_RUNTIME,
                                                  CUPTI_ACTIVITY_KIND_DRIVER,
                                                  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};

  void SetUp() override {
    DryDevices::SetUp();
    memory_ = allocate(4 * kMiB);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cuptiActivityRegisterCallbacks(request, complete), CUPTI_SUCCESS);
    for (const CUpti_ActivityKind kind : kKinds) ASSERT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS);
  }

  void TearDown() override {
    for (const CUpti_ActivityKind kind : kKinds) EXPECT_EQ(cuptiActivityDisable(kind), CUPTI_SUCCESS);
    flush();
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaFree(memory_), cudaSuccess);
  }

  void fill() { ASSERT_EQ(cudaMemsetAsync(memory_, 7, kFilledBytes, stream_), cudaSuccess); }

  static constexpr std::size_t kFilledBytes = 1'000'000;
  std::byte* memory_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace strata::dry_gpu
