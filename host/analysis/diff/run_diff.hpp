// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: what numbers, allocations and settings are other ones in the new run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/diff/block_groups.hpp"
#include "host/analysis/diff/gate.hpp"
#include "host/analysis/diff/run_measures.hpp"

namespace strata::analysis {

struct Facts;

inline constexpr const char* kDiffSchema = "strata.diff/1";
inline constexpr const char* kDiffsSchema = "strata.diffs/1";

// A key of the resolved configuration, or `command`, what `strata exec` started; a text is empty where that
// run has not the key.
struct SettingChange {
  std::string key, base, now;
};

struct RunDiff {
  // Which run it is, for headings.
  struct Side {
    std::string directory, name, device;
    std::string peak_phase;       // that the peak is in; empty outside of any
    std::int64_t peak_step = -1;  // -1: outside of any
    bool is_dry = false;
    std::string end = "done";  // how it ended
  };
  Side base, now;
  std::vector<SettingChange> settings;
  std::vector<MeasureChange> measures;
  std::vector<BlockGroup> allocations;  // changed ones, largest change first
  std::vector<Gate::Result> gates;
  std::string time_warning;           // why one of times may not hold; empty where it does
  std::vector<std::string> warnings;  // why another may not

  bool fails() const;  // a gate does
};

// Throws GateError.
RunDiff diff_runs(const Facts& base, const Facts& now, std::vector<SettingChange> settings,
                  const std::vector<Gate>& gates);

// strata.diff/1 of docs/diff.md, with a line's end.
std::string diff_document(const RunDiff& diff);

// strata.diffs/1: one of each, all with one base.
std::string diffs_document(const std::vector<RunDiff>& diffs);

}  // namespace strata::analysis
