// SPDX-License-Identifier: Apache-2.0
// A libcupti for tests of the broker without a GPU: to its client it behaves like the real one, and a test
// makes the calls that CUDA would make.
//
// Built as a separate library, which the broker opens through the option `library`. The test and the broker
// share this structure.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace strata::test {

struct FakeCupti {
  // Its answers, set by the test.
  std::uint32_t version = 130001;
  int subscribe_result = 0;             // CUptiResult of every subscription
  std::array<char, 64> holder{};        // the holder's name, for a result of 39
  bool allows_sharing = false;          // from 13.3 on
  int refused_kind = 0;                 // a kind that cannot be enabled; 0: none
  std::int64_t clock_offset_ns = 0;     // its distance from CLOCK_REALTIME
  std::size_t dropped = 0;              // records reported as dropped, once
  bool requests_fail_silently = false;  // no buffer: records are dropped and counted

  // The broker's calls.
  std::atomic<int> subscriptions{0}, unsubscriptions{0}, finalizations{0};
  std::atomic<int> pushes{0}, pops{0}, flushes{0};
  std::atomic<int> calls_of_wrong_kind{0};  // with a subscriber in exclusive mode, or without in shared mode
  std::atomic<int> calls_without_subscription{0};
  std::atomic<int> disabled_driver_functions{0};  // one by one
  std::atomic<int> callbacks_at_calls{0};         // that were requested
  std::atomic<bool> zeroed_buffers{false}, system_threads{false};
  std::atomic<int> unclean_buffers{0};  // should have been zero and were not
  std::array<std::atomic<bool>, 64> enabled{};
  std::array<char, 64> subscriber{};

  // Calls of CUDA, each on the calling thread.
  // A launch whose kernel takes `kernel_ns`; -1: CUPTI could not time it. Returns its correlation.
  std::uint32_t (*launch)(const char* kernel, std::int64_t kernel_ns) = nullptr;
  // The same, but the kernel's record comes first, in its own buffer.
  std::uint32_t (*launch_with_swapped_times)(const char* kernel) = nullptr;
  // A launch through a driver function, as a library without the runtime makes it.
  std::uint32_t (*launch_by_driver)(std::uint32_t function, const char* kernel) = nullptr;
  // A launch of the runtime in which the inner driver call is recorded too: both have the same number.
  std::uint32_t (*launch_by_both)(const char* kernel) = nullptr;
  // A launch outside any public function.
  std::uint32_t (*launch_within_driver)(const char* kernel) = nullptr;
  std::uint32_t (*copy_by_driver)() = nullptr;
  std::uint32_t (*fill_by_driver)() = nullptr;
  // A driver function without an effect on a device.
  std::uint32_t (*call_driver)(std::uint32_t function) = nullptr;
  // CUPTI's callbacks: loaded device code, a created graph node, and a cloned one, each with its number; and
  // a launch of the graph with these nodes.
  void (*load_module)(std::size_t bytes) = nullptr;
  void (*make_node)(std::uint64_t node) = nullptr;
  void (*clone_node)(std::uint64_t original, std::uint64_t clone) = nullptr;
  std::uint32_t (*launch_graph)(const std::uint64_t* nodes, std::size_t count) = nullptr;
  // A call without an effect on a device.
  std::uint32_t (*call)() = nullptr;
  // A record with arbitrary bytes, in this thread's buffer.
  void (*write)(const void* record, std::size_t bytes) = nullptr;
  // Completes this thread's buffer, with that many bytes cut off at its end.
  void (*complete)(std::size_t cut_bytes) = nullptr;
  // Completes another buffer much later, as a CUPTI worker may.
  void (*complete_late)() = nullptr;
  std::uint64_t (*now)() = nullptr;

  // Resets everything except the buffers it received.
  void (*reset)() = nullptr;
};

}  // namespace strata::test
