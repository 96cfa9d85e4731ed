// SPDX-License-Identifier: Apache-2.0
// Durations from what work moves and computes, and from a device's peak rates: whichever bound is the higher.
//
// S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52 (2009). A roofline is the least time that work
// can take at those rates; how much of them is reached is a setting, and measured nowhere.
#pragma once

#include <cstdint>

#include "dry_gpu/clock/estimate.hpp"
#include "dry_gpu/clock/settings.hpp"
#include "dry_gpu/device/profile/profile.hpp"

namespace strata::dry_gpu {

// What units multiply.
enum class Arithmetic { kFp64, kFp32, kTf32, kFp16, kBf16, kFp8 };

// C (m by n) of A (m by k) and B (k by n), `batch` times.
struct Product {
  std::int64_t m, n, k, batch;
  Arithmetic arithmetic;
  std::uint32_t a_bytes, b_bytes, c_bytes;  // of an element
  bool is_complex = false;                  // four multiplications for one
};

enum class Route { kWithinDevice, kHost, kPeer };

class Roofline {
 public:
  Roofline(const DeviceProfile& device, const ClockSettings& settings);

  Estimate product(const Product& product) const;
  // A kernel that is bound by the bytes which it reads and writes.
  Estimate traffic(Model model, double bytes) const;
  // Within a device, the bytes are read and written.
  Estimate copy(double bytes, Route route) const;

 private:
  double flops_per_ns(Arithmetic arithmetic) const;

  const DeviceProfile& device_;
  const ClockSettings& settings_;
};

}  // namespace strata::dry_gpu
