// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/session_faults.hpp"

#include "host/runtime/events/thread_state.hpp"
#include "host/runtime/log.hpp"
#include "strata/ext/log.h"

namespace strata {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(SessionFault::kCount)> kNames = {
    "unpaired_step",    "unpaired_phase_end", "unpaired_module_end", "unpaired_op_end",
    "phases_too_deep",  "modules_too_deep",   "ops_too_deep",        "memory_event_inside",
    "two_loop_threads", "out_of_turn",        "events_in_flight",    "reported_by_plugin"};

// A fault that repeats in every event is logged this often.
constexpr std::uint64_t kLoggedOfAKind = 10;

}  // namespace

void SessionFaults::count(SessionFault fault, std::string_view detail) noexcept {
  const std::uint64_t before = at(fault).fetch_add(1, std::memory_order_relaxed);
  if (!check_ || before >= kLoggedOfAKind) return;
  const ThreadState* thread = this_thread_if_any();
  if (thread != nullptr && thread->under_allocator != 0) return;
  write_log(STRATA_LOG_HOST_MISBEHAVING, "", detail);
}

std::map<std::string, std::uint64_t> SessionFaults::by_name() const {
  std::map<std::string, std::uint64_t> named;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const std::uint64_t count = counts_[i].load(std::memory_order_relaxed);
    if (count != 0) named.emplace(kNames[i], count);
  }
  return named;
}

}  // namespace strata
