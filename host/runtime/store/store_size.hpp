// SPDX-License-Identifier: Apache-2.0
// Divides a store's maximum size (`store.max_mb`) between spools, the write-ahead log and the file.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "strata/runtime/options.hpp"

namespace strata {

class StoreSize {
 public:
  explicit StoreSize(const StoreOptions& options) noexcept
      : max_mb_(options.max_mb),
        spool_bytes_(is_limited() ? std::min(options.spool_bytes, std::bit_floor(bytes() / kSpools))
                                  : options.spool_bytes) {}

  bool is_limited() const noexcept { return max_mb_ != 0; }
  std::uint64_t max_mb() const noexcept { return max_mb_; }

  // Per thread.
  std::uint64_t spool_bytes() const noexcept { return spool_bytes_; }

  // How large the log may grow; a batch is added to it.
  std::uint64_t log_bytes() const noexcept { return bytes() / 16; }

  // A whole batch is in the log at once.
  std::uint64_t batch_rows() const noexcept {
    constexpr std::uint64_t kRows = 65536, kRowsOfMb = 128;
    return is_limited() ? std::clamp<std::uint64_t>(max_mb_ * kRowsOfMb, 2048, kRows) : kRows;
  }

  // Maximum size of the file itself with this number of spools.
  std::uint64_t file_bytes(std::size_t spools) const noexcept {
    const std::uint64_t beside = 2 * log_bytes() + spools * (spool_bytes_ + kSpoolHead);
    return std::max(bytes() / 8, bytes() - std::min(bytes(), beside));
  }

  // For a file that may have `most` bytes: the target of thinning, and the size from which rows are dropped.
  // The next batch still fits in either case.
  std::uint64_t wanted(std::uint64_t most) const noexcept { return most / 8 * 5; }
  std::uint64_t full(std::uint64_t most) const noexcept { return most / 16 * 15; }

 private:
  // The contents of all spools enter the file before the store knows that a step is complete there: they must
  // fit between `wanted` and `full`.
  static constexpr std::uint64_t kSpools = 32;
  static constexpr std::uint64_t kSpoolHead = std::uint64_t{16} << 10;
  std::uint64_t bytes() const noexcept { return max_mb_ << 20; }

  std::uint64_t max_mb_;
  std::uint64_t spool_bytes_;
};

}  // namespace strata
