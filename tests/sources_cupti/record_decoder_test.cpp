// SPDX-License-Identifier: Apache-2.0
// How the decoder handles records out of order, or without a counterpart.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/sources_cupti/hand_made_buffer.hpp"

namespace strata::cupti {
namespace {

// Iterates over records by our own sizes.
CUptiResult next_of_known(std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record) {
  const auto size_of = [](CUpti_ActivityKind kind) -> std::size_t {
    const bool is_call = kind == CUPTI_ACTIVITY_KIND_RUNTIME || kind == CUPTI_ACTIVITY_KIND_DRIVER;
    return is_call                                            ? sizeof(CUpti_ActivityAPI)
           : kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION ? sizeof(CUpti_ActivityExternalCorrelation)
           : kind == CUPTI_ACTIVITY_KIND_OVERHEAD             ? sizeof(CUpti_ActivityOverhead3)
                                                              : sizeof(CUpti_ActivityKernel10);
  };
  auto* const last = static_cast<std::uint8_t*>(static_cast<void*>(*record));
  std::uint8_t* const next = last == nullptr ? buffer : last + size_of((*record)->kind);
  if (next >= buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = static_cast<CUpti_Activity*>(static_cast<void*>(next));
  return CUPTI_SUCCESS;
}

class Decoder : public testing::Test {
 protected:
  CUpti_ActivityKernel10 kernel(std::uint32_t correlation) {
    CUpti_ActivityKernel10 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.start = 1000;
    kernel.end = 2000;
    kernel.correlationId = correlation;
    kernel.name = "k";
    return kernel;
  }
  CUpti_ActivityAPI launch(std::uint32_t correlation) {
    CUpti_ActivityAPI call{};
    call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
    call.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
    call.start = 10;
    call.end = 20;
    call.threadId = 5;
    call.correlationId = correlation;
    return call;
  }
  CUpti_ActivityExternalCorrelation under(std::uint32_t correlation, std::uint64_t origin) {
    CUpti_ActivityExternalCorrelation external{};
    external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2;
    external.externalId = origin;
    external.correlationId = correlation;
    return external;
  }
  template <typename... Records>
  void decode(const Records&... records) {
    HandMadeBuffer buffer;
    (buffer.add(records), ...);
    decoder_.decode(buffer.span());
  }

  DecodedLines reported_;
  RecordDecoder decoder_{reported_.setup(next_of_known)};
  using Lines = std::vector<std::string>;
};

TEST_F(Decoder, HoldsAKernelUntilItsCallIsMet) {
  const std::uint64_t origin = reported_.origins().note({3, 0, 0});
  decode(kernel(1));
  EXPECT_EQ(reported_.lines(), Lines{});
  decode(under(1, origin), launch(1));
  EXPECT_EQ(reported_.lines(), (Lines{"api 'runtime function 211' 10-20 detail 257 call 1 thread 5 op 3",
                                      "kernel 'k' 1000-2000 on 0 call 1 op 3"}));
}

TEST_F(Decoder, TellsWhatItHoldsInTheEndAndCountsIt) {
  decode(kernel(1), kernel(2));
  decoder_.finish();
  EXPECT_EQ(reported_.lines().size(), 2u);
  EXPECT_EQ(decoder_.take_counts().without_call, 2u);
  decoder_.finish();
  EXPECT_EQ(reported_.lines().size(), 2u);
}

TEST_F(Decoder, HoldsNoMoreThanItMay) {
  constexpr std::size_t kTooMany = RecordDecoder::kMostHeld + 10;
  HandMadeBuffer buffer;
  for (std::uint32_t i = 1; i <= kTooMany; ++i) buffer.add(kernel(i + 10'000'000));
  decoder_.decode(buffer.span());
  EXPECT_EQ(reported_.lines().size(), 10u);
  EXPECT_EQ(decoder_.take_counts().without_call, 10u);
}

TEST_F(Decoder, CountsALaunchOfTheRuntimeAndTheDriversWithinItOnce) {
  CUpti_ActivityAPI inner = launch(1);
  inner.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  inner.cbid = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
  decode(inner, launch(1), kernel(1), kernel(1));
  const RecordCounts counts = decoder_.take_counts();
  EXPECT_EQ(counts.launches, 1u);
  EXPECT_EQ(counts.answered_launches, 1u) << "a graph's kernels are many";
}

TEST_F(Decoder, LeavesOutWhatWasOverBeforeTheWindow) {
  decoder_.keep_from(1500);
  decode(launch(1), kernel(1));
  EXPECT_EQ(reported_.lines(), (Lines{"kernel 'k' 1000-2000 on 0 call 1"})) << "it reaches into the window";
  EXPECT_EQ(decoder_.take_counts().outside_window, 1u);
}

TEST_F(Decoder, AnOriginThatWasForgottenIsCounted) {
  decode(under(1, 1234), launch(1));
  EXPECT_EQ(decoder_.take_counts().lost_origins, 1u);
}

}  // namespace
}  // namespace strata::cupti
