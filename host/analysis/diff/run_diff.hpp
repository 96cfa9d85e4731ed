// SPDX-License-Identifier: Apache-2.0
// Compares two runs: the numbers, allocations and settings that differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/diff/block_groups.hpp"
#include "host/analysis/diff/gate.hpp"
#include "host/analysis/diff/run_measures.hpp"
#include "host/analysis/facts/run_end.hpp"
#include "host/analysis/facts/warning.hpp"
#include "host/analysis/peak/outside_window.hpp"

namespace strata::analysis {

struct Facts;

inline constexpr const char* kDiffSchema = "strata.diff/1";
inline constexpr const char* kDiffsSchema = "strata.diffs/1";

// A key of the resolved configuration, or `command`, the command run by `strata exec`; a text is empty if
// that run does not have the key.
struct SettingChange {
  std::string key, base, now;
};

struct RunDiff {
  // Describes one run, for headings.
  struct Side {
    std::string directory, name, device;
    std::string peak_phase;       // phase of the peak; empty outside of any
    std::int64_t peak_step = -1;  // -1: outside of any
    bool is_dry = false;
    RunEnd end = RunEnd::kDone;
    bool has_layers = false;                           // it recorded what layers hold
    std::optional<OutsideWindow> outside_window = {};  // what it takes outside of its window, if that is more
    std::vector<Warning> warnings = {};                // Facts::warnings
  };
  Side base, now;
  std::vector<SettingChange> settings;
  std::vector<MeasureChange> measures;
  std::vector<BlockGroup> allocations;  // changed ones, largest change first
  std::vector<Gate::Result> gates;

  bool fails() const;  // whether a gate fails
};

// Throws GateError.
RunDiff diff_runs(const Facts& base, const Facts& now, std::vector<SettingChange> settings,
                  const std::vector<Gate>& gates);

// Says why values may not be comparable. Callers of the JSON writers pass the function of host/report/words.
using DiffWarnings = std::vector<std::string> (*)(const RunDiff& diff);

// strata.diff/1 of docs/diff.md, ending in a newline.
std::string diff_document(const RunDiff& diff, DiffWarnings warnings_of);

// strata.diffs/1: an array of these, all with one base.
std::string diffs_document(const std::vector<RunDiff>& diffs, DiffWarnings warnings_of);

}  // namespace strata::analysis
