// SPDX-License-Identifier: Apache-2.0
// The host's own time, which the modelled clock needs in addition to the streams' times. It is virtual, so
// that a run always takes the same time, or the machine's while a recorder compares the two.
#pragma once

#include <cstdint>

namespace strata::dry_gpu {

// CLOCK_MONOTONIC.
std::int64_t monotonic_ns();

// Not thread-safe: guarded by the lock of its owner.
class HostTime {
 public:
  explicit HostTime(std::int64_t call_ns) : call_ns_(call_ns) {}

  std::int64_t now() const { return is_real_ ? monotonic_ns() - offset_ns_ : virtual_ns_; }

  // Adds the time of the program's work since its last call.
  void pass_call() {
    if (!is_real_) virtual_ns_ += call_ns_;
  }
  // Virtual time jumps to `ns`; real time advances by itself.
  void go_on_to(std::int64_t ns) {
    if (!is_real_ && ns > virtual_ns_) virtual_ns_ = ns;
  }

  // Switches to real time.
  void make_real();
  void make_virtual();

  // Between the machine's clock and this one, while real.
  std::int64_t offset_ns() const { return offset_ns_; }

 private:
  std::int64_t call_ns_;
  std::int64_t virtual_ns_ = 0;
  std::int64_t offset_ns_ = 0;
  bool is_real_ = false;
};

}  // namespace strata::dry_gpu
