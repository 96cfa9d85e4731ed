// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/clock/host_time.hpp"

#include <ctime>

namespace strata::dry_gpu {

std::int64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void HostTime::make_real() {
  if (is_real_) return;
  offset_ns_ = monotonic_ns() - virtual_ns_;
  is_real_ = true;
}

void HostTime::make_virtual() {
  if (!is_real_) return;
  virtual_ns_ = now();
  is_real_ = false;
}

}  // namespace strata::dry_gpu
