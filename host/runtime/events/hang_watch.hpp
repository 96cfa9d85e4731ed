// SPDX-License-Identifier: Apache-2.0
// Finds plugin calls that do not return while the program waits for them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/runtime/events/listener_set.hpp"
#include "host/runtime/events/thread_state.hpp"

namespace strata {

class HangWatch {
 public:
  // The listeners in load order, and the maximum duration of a call. Both outlive the watch.
  HangWatch(const std::vector<ListenerSet>& listeners, std::chrono::nanoseconds patience)
      : listeners_(listeners), patience_(patience) {}

  // A call of the loop thread into the plugin `id` other than an event, for the lifetime of this object.
  // `function` is "create" or another ABI name. One at a time.
  class Call {
   public:
    Call(HangWatch& watch, std::string_view id, std::string_view function);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    HangWatch& watch_;
  };

  // [one thread at a time] Call regularly, after the last listener was added. Logs each call that has lasted
  // longer than `patience` since it was first seen here: once, and again when it returns.
  void look(std::int64_t now_ns);
  // [one thread at a time] The same for calls other than events; listeners may be added meanwhile.
  void look_at_call(std::int64_t now_ns);

 private:
  struct OwnCall {
    std::string id, function;
    std::uint32_t thread = 0;
    std::int64_t since_ns = 0;
    bool told = false;
  };
  struct Seen {
    std::uint64_t event = 0;
    std::uint32_t listener = 0;
    std::int64_t since_ns = 0;
    bool told = false;
  };

  void look_at_events(std::int64_t now_ns);
  void tell(const ThreadState& thread, const Seen& seen, std::int64_t now_ns, bool returned) const;

  const std::vector<ListenerSet>& listeners_;
  const std::chrono::nanoseconds patience_;
  std::map<const ThreadState*, Seen> seen_;  // threads that were inside a call the last time
  std::mutex mutex_;                         // guards the members below
  std::optional<OwnCall> call_;
};

}  // namespace strata
