// SPDX-License-Identifier: Apache-2.0
// Catches a plugin's exceptions: no exception crosses the C ABI.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <type_traits>

#include "strata/host.hpp"

namespace strata {

// An instance is switched off after this many exceptions. The host counts the same faults and has the same
// limit.
inline constexpr std::uint32_t kFaultLimit = 8;

// Whether a listener may log at its call site.
enum class Surroundings { kFree, kAllocatorLock };

// Which calls a switched-off instance still gets: ends, flushes and the run's end (owed), but no begins and
// no single events (conventions/lifetimes.md).
enum class Call { kNew, kOwed };

class FaultGuard {
 public:
  explicit FaultGuard(const Host& host) noexcept : host_(host) {}
  ~FaultGuard() { report_pending(); }
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  // Calls `body`, unless the instance is switched off and the call is new. An exception is logged as
  // PLUGIN_MISBEHAVING with `method`: at once, or, if it was thrown under an allocator's lock, at the next
  // call outside of one. Returns a value-initialised result if `body` was not called or threw.
  template <Call kind, Surroundings surroundings, typename Body>
  auto run(const char* method, Body&& body) noexcept -> std::invoke_result_t<Body> {
    using Result = std::invoke_result_t<Body>;
    if constexpr (surroundings == Surroundings::kFree) {
      if (pending_.load(std::memory_order_relaxed) != 0) report_pending();
    }
    if (kind == Call::kOwed || !off()) {
      try {
        return body();
      } catch (const std::exception& error) {
        count(method, error.what(), surroundings);
      } catch (...) {
        count(method, "not a std::exception", surroundings);
      }
    }
    return Result();
  }

  // As `run`, for the run's begin, where an exception means that the instance cannot work: it is logged as
  // PLUGIN_FAILED with what() as the reason, and the instance is switched off.
  template <typename Body>
  void run_begin(Body&& body) noexcept {
    try {
      body();
    } catch (const std::exception& error) {
      fail(error.what());
    } catch (...) {
      fail("its begin_run threw what is no std::exception");
    }
  }

  bool off() const noexcept { return faults_.load(std::memory_order_relaxed) >= kFaultLimit; }

 private:
  void count(const char* method, const char* what, Surroundings surroundings) noexcept {
    faults_.fetch_add(1, std::memory_order_relaxed);
    if (surroundings == Surroundings::kAllocatorLock) {
      pending_method_.store(method, std::memory_order_relaxed);
      pending_.fetch_add(1, std::memory_order_relaxed);
    } else {
      report(method, what);
    }
  }

  void fail(const char* reason) noexcept {
    faults_.store(kFaultLimit, std::memory_order_relaxed);
    host_.log(STRATA_LOG_PLUGIN_FAILED, reason);
  }

  // The text of an exception under a lock is not kept, because that would allocate.
  void report_pending() noexcept {
    for (std::uint32_t left = pending_.exchange(0); left != 0; --left) {
      report(pending_method_.load(std::memory_order_relaxed), "under an allocator's lock");
    }
  }

  void report(const char* method, const char* what) noexcept {
    std::array<char, 512> line{};
    std::snprintf(line.data(), line.size(), "%s threw an exception: %s%s", method, what,
                  off() ? "; switched off" : "");
    host_.log(STRATA_LOG_PLUGIN_MISBEHAVING, line.data());
  }

  Host host_;
  std::atomic<std::uint32_t> faults_{0};
  std::atomic<std::uint32_t> pending_{0};  // not logged yet
  std::atomic<const char*> pending_method_{""};
};

}  // namespace strata
