// SPDX-License-Identifier: Apache-2.0
// Durations from the bytes that work moves, the operations it computes and a device's peak rates: the higher
// bound counts.
//
// S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52 (2009). A roofline is the least time that work
// can take at those rates. The fraction of them that is reached is a setting, and was not measured.
#pragma once

#include <cstdint>

#include "dry_gpu/clock/estimate.hpp"
#include "dry_gpu/clock/settings.hpp"
#include "dry_gpu/device/profile/profile.hpp"

namespace strata::dry_gpu {

// The arithmetic of the multiplying units.
enum class Arithmetic { kFp64, kFp32, kTf32, kFp16, kBf16, kFp8 };

// C (m by n) = A (m by k) times B (k by n), `batch` times.
struct Product {
  std::int64_t m, n, k, batch;
  Arithmetic arithmetic;
  std::uint32_t a_bytes, b_bytes, c_bytes;  // per element
  bool is_complex = false;                  // four multiplications instead of one
};

enum class Route { kWithinDevice, kHost, kPeer };

class Roofline {
 public:
  Roofline(const DeviceProfile& device, const ClockSettings& settings);

  Estimate product(const Product& product) const;
  // A kernel bound by the bytes that it reads and writes.
  Estimate traffic(Model model, double bytes) const;
  // Inside a device, the bytes are both read and written.
  Estimate copy(double bytes, Route route) const;

 private:
  double flops_per_ns(Arithmetic arithmetic) const;

  const DeviceProfile& device_;
  const ClockSettings& settings_;
};

}  // namespace strata::dry_gpu
