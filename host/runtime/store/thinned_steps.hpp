// SPDX-License-Identifier: Apache-2.0
// The store's record of the steps it has thinned: which they are, and the peaks of each.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "host/runtime/store/block_ledger.hpp"
#include "host/runtime/store/sqlite.hpp"
#include "host/runtime/store/step_rows.hpp"

namespace strata {

class ThinnedSteps {
 public:
  // Creates the tables.
  explicit ThinnedSteps(SqliteConnection& connection);

  void add(const StepBegin& step, const StepInterval& interval, const std::vector<LedgerPeak>& peaks);
  bool contains(StepZone zone) const;
  // Also forgets the step's peaks.
  void forget_peaks(const StepBegin& step);
  // Writes the intervals if they have changed.
  void save();

 private:
  struct Run {
    StepZone last = 0;
    std::int64_t first_step = 0, last_step = 0;
    StepInterval interval;
  };
  SqliteStatement insert_peak_, delete_peaks_, clear_, insert_;
  std::map<StepZone, Run> runs_;  // by their first step
  bool changed_ = false;
};

}  // namespace strata
