// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cupti/client_clock.hpp"

#include <ctime>
#include <limits>

#include "dry_gpu/clock/host_time.hpp"

namespace strata::dry_gpu {
namespace {

std::uint64_t realtime_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

void ClientClock::use(CUpti_TimestampCallbackFunc function) {
  function_ = function;
  begin();
}

std::uint64_t ClientClock::now() const {
  return function_ == nullptr ? realtime_ns() : function_();
}

// A thread may be interrupted between two clocks: the closest of some pairs.
ClientClock::Both ClientClock::read() const {
  constexpr int kPairs = 16;
  Both best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::int64_t before = monotonic_ns();
    const std::uint64_t client = now();
    const std::int64_t between = monotonic_ns() - before;
    if (between >= least) continue;
    least = between;
    best = {before + between / 2, client};
  }
  return best;
}

void ClientClock::begin() {
  first_ = last_ = read();
}

void ClientClock::go_on() {
  last_ = read();
}

// A client's own clock need not count nanoseconds: its rate is derived from the two points. CUPTI's does, so
// durations are unchanged.
std::uint64_t ClientClock::from_monotonic(std::uint64_t ns) const {
  const std::int64_t since_first = static_cast<std::int64_t>(ns) - first_.monotonic_ns;
  double rate = 1;
  if (function_ != nullptr && last_.monotonic_ns > first_.monotonic_ns) {
    rate = static_cast<double>(last_.client - first_.client) /
           static_cast<double>(last_.monotonic_ns - first_.monotonic_ns);
  }
  const auto ticks =
      rate == 1 ? since_first : static_cast<std::int64_t>(static_cast<double>(since_first) * rate);
  return first_.client + static_cast<std::uint64_t>(ticks);
}

}  // namespace strata::dry_gpu
