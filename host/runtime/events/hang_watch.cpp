// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/hang_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "host/runtime/clock.hpp"
#include "host/runtime/log.hpp"
#include "strata/ext/log.h"

namespace strata {
namespace {

void report(std::string_view id, std::string_view where, std::uint32_t thread, std::int64_t lasted_ns,
            bool returned) {
  const double seconds = static_cast<double>(lasted_ns) / 1e9;
  write_log(STRATA_LOG_WARNING, id,
            returned ? fmt::format("returned from {} after {:.0f} s, on thread {}", where, seconds, thread)
                     : fmt::format("has not returned from {} for {:.0f} s, and thread {} of the program "
                                   "waits for it; to see where it is: gdb -p {} -ex 'thread apply all "
                                   "backtrace'. Without this plugin the program would continue",
                                   where, seconds, thread, getpid()));
}

}  // namespace

HangWatch::Call::Call(HangWatch& watch, std::string_view id, std::string_view function) : watch_(watch) {
  const std::lock_guard lock(watch_.mutex_);
  watch_.call_ = {std::string(id), std::string(function), static_cast<std::uint32_t>(gettid()),
                  monotonic_ns(), false};
}

HangWatch::Call::~Call() {
  const std::lock_guard lock(watch_.mutex_);
  if (const OwnCall& call = *watch_.call_; call.told)
    report(call.id, call.function, call.thread, monotonic_ns() - call.since_ns, true);
  watch_.call_.reset();
}

void HangWatch::look(std::int64_t now_ns) {
  look_at_call(now_ns);
  look_at_events(now_ns);
}

void HangWatch::look_at_call(std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  if (!call_ || call_->told || std::chrono::nanoseconds(now_ns - call_->since_ns) < patience_) return;
  call_->told = true;
  report(call_->id, call_->function, call_->thread, now_ns - call_->since_ns, false);
}

void HangWatch::look_at_events(std::int64_t now_ns) {
  for (const ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
    const bool inside = thread->events_in_flight.load(std::memory_order_acquire) != 0;
    const std::uint32_t listener = thread->listener.load(std::memory_order_acquire);
    const std::uint64_t event = thread->event.load(std::memory_order_relaxed);
    const auto known = seen_.find(thread);
    const bool is_another = known != seen_.end() &&
                            (!inside || known->second.event != event || known->second.listener != listener);
    if (is_another) {
      if (known->second.told) tell(*thread, known->second, now_ns, true);
      seen_.erase(known);
    }
    if (!inside) continue;
    Seen& seen = seen_.try_emplace(thread, Seen{event, listener, now_ns, false}).first->second;
    if (seen.told || std::chrono::nanoseconds(now_ns - seen.since_ns) < patience_) continue;
    seen.told = true;
    tell(*thread, seen, now_ns, false);
  }
}

void HangWatch::tell(const ThreadState& thread, const Seen& seen, std::int64_t now_ns, bool returned) const {
  if (seen.listener >= listeners_.size()) return;
  report(listeners_[seen.listener].id, returned ? "its event" : "an event", thread.thread,
         now_ns - seen.since_ns, returned);
}

}  // namespace strata
