// SPDX-License-Identifier: Apache-2.0
// A libcupti for tests of the broker without a GPU: it behaves as the real one does towards its client, and a
// test makes the calls that CUDA would.
//
// Built as a library of its own, which the broker opens by the option `library`. What a test and the broker
// share of it is this structure.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace strata::test {

struct FakeCupti {
  // How it answers, set by the test.
  std::uint32_t version = 130001;
  int subscribe_result = 0;             // CUptiResult of every subscription
  std::array<char, 64> holder{};        // who has it, for a result of 39
  bool allows_sharing = false;          // from 13.3 on
  int refused_kind = 0;                 // a kind that cannot be enabled; 0: none
  std::int64_t clock_offset_ns = 0;     // of its clock from CLOCK_REALTIME
  std::size_t dropped = 0;              // records that it says it dropped, told once
  bool requests_fail_silently = false;  // without a buffer, records are dropped and counted

  // What the broker did.
  std::atomic<int> subscriptions{0}, unsubscriptions{0}, finalizations{0};
  std::atomic<int> pushes{0}, pops{0}, flushes{0};
  std::atomic<int> calls_of_wrong_kind{0};  // with a subscriber where there is none, or without
  std::atomic<int> calls_without_subscription{0};
  std::atomic<int> disabled_driver_functions{0};  // one by one
  std::atomic<int> callbacks_at_calls{0};         // that were asked for
  std::atomic<bool> zeroed_buffers{false}, system_threads{false};
  std::atomic<int> unclean_buffers{0};  // that were to be zero and were not
  std::array<std::atomic<bool>, 64> enabled{};
  std::array<char, 64> subscriber{};

  // Calls of CUDA, each on the calling thread.
  // A launch, whose kernel takes `kernel_ns`; -1: CUPTI could not time it. Returns its correlation.
  std::uint32_t (*launch)(const char* kernel, std::int64_t kernel_ns) = nullptr;
  // The same, but the kernel's record comes first, in a buffer of its own.
  std::uint32_t (*launch_with_swapped_times)(const char* kernel) = nullptr;
  // A launch by a function of the driver, which a library calls without the runtime.
  std::uint32_t (*launch_by_driver)(std::uint32_t function, const char* kernel) = nullptr;
  // A launch of the runtime, of which the driver's call within it is recorded, too: both have one number.
  std::uint32_t (*launch_by_both)(const char* kernel) = nullptr;
  // A launch outside of any function that a program can call.
  std::uint32_t (*launch_within_driver)(const char* kernel) = nullptr;
  std::uint32_t (*copy_by_driver)() = nullptr;
  std::uint32_t (*fill_by_driver)() = nullptr;
  // A function of the driver that does nothing to a device.
  std::uint32_t (*call_driver)(std::uint32_t function) = nullptr;
  // What CUPTI calls back about: device code that is loaded, a node of a graph that is made, and one that is
  // cloned, each by its number; and a launch of the graph that has these nodes.
  void (*load_module)(std::size_t bytes) = nullptr;
  void (*make_node)(std::uint64_t node) = nullptr;
  void (*clone_node)(std::uint64_t original, std::uint64_t clone) = nullptr;
  std::uint32_t (*launch_graph)(const std::uint64_t* nodes, std::size_t count) = nullptr;
  // A call that does nothing to a device.
  std::uint32_t (*call)() = nullptr;
  // A record of whatever bytes, in this thread's buffer.
  void (*write)(const void* record, std::size_t bytes) = nullptr;
  // This thread's buffer, with so many bytes at its end taken off.
  void (*complete)(std::size_t cut_bytes) = nullptr;
  // One more, long after: as a worker of CUPTI's may.
  void (*complete_late)() = nullptr;
  std::uint64_t (*now)() = nullptr;

  // Forgets everything but the buffers that it was given.
  void (*reset)() = nullptr;
};

}  // namespace strata::test
