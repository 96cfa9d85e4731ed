// SPDX-License-Identifier: Apache-2.0
// Records what was recorded and how, so that a reader of a timeline can tell whether it is complete: one row
// for each window, or for the reason why there is none.
#pragma once

#include <cstdint>
#include <string>

#include "sources/cupti/recording/recording.hpp"
#include "strata/table.hpp"

namespace strata::cupti {

struct CaptureRow {
  std::int64_t begin_ns, end_ns;
  std::uint64_t activities, kernels, graphs, copies, sets, calls;
  std::uint64_t launches, answered_launches;
  std::uint64_t dropped, without_times, outside_window, without_call, lost_origins, other_records;
  std::uint64_t buffers, refused_buffers, late_buffers, broken_buffers, skipped_bytes;
  std::int64_t clock_uncertainty_ns, clock_drift_ns;
  std::uint32_t regime, version, modelled;
  std::uint32_t library, holder, reason, refused_kinds;  // texts
};

class CaptureTable {
 public:
  // [loop-thread] Throws std::runtime_error if the host keeps no store.
  explicit CaptureTable(const Host& host);

  struct Circumstances {
    std::int64_t begin_ns = 0, end_ns = 0;
    Regime regime = Regime::kNone;
    const Library* library = nullptr;  // null: none was found
    std::string holder, reason, refused_kinds;
  };
  void write(const Circumstances& circumstances, const Recording::Sums& sums) const;

 private:
  Table<CaptureRow> table_;
};

}  // namespace strata::cupti
