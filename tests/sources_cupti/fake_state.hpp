// SPDX-License-Identifier: Apache-2.0
// The state of the fake CUPTI, and the records it writes; its exported functions are in fake_cupti.cpp.
#pragma once

#include <cupti.h>

#include <atomic>
#include <bitset>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/sources_cupti/fake_cupti.hpp"

namespace strata::test {

struct FakeBuffer {
  std::mutex mutex;
  std::uint8_t* memory = nullptr;
  std::size_t bytes = 0, used = 0;
};

using RequestForSubscriber = void (*)(std::uint8_t**, std::size_t*, std::size_t*, void*);
using CompleteForSubscriber = void (*)(std::uint8_t*, std::size_t, std::size_t, void*);

struct FakeState {
  FakeCupti fake;
  std::mutex mutex;  // guards the following members
  std::vector<std::shared_ptr<FakeBuffer>> buffers;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  RequestForSubscriber shared_request = nullptr;
  CompleteForSubscriber shared_complete = nullptr;
  CUpti_CallbackFunc callback = nullptr;
  std::bitset<64> resources;           // events of CUPTI_CB_DOMAIN_RESOURCE with callbacks
  std::bitset<1024> driver_functions;  // recorded by the kind DRIVER once it is enabled
  std::atomic<bool> is_subscribed = false, is_shared = false;
  std::atomic<std::size_t> dropped = 0;
};
FakeState& state();

std::vector<std::uint64_t>& pushed_by_this_thread();

// Call with the buffer's lock held.
void hand_over(FakeBuffer& buffer, std::size_t cut_bytes);
void reset();
std::uint64_t fake_now();
CUptiResult enable(CUpti_ActivityKind kind, bool is_on);
CUptiResult next_record(std::uint8_t* buffer, std::size_t valid_bytes, CUpti_Activity** record);

}  // namespace strata::test
