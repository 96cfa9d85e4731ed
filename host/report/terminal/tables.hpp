// SPDX-License-Identifier: Apache-2.0
// The tables of the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/analysis/checks/reconciliation.hpp"
#include "host/analysis/diff/run_diff.hpp"
#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/peak.hpp"
#include "host/analysis/shapes/shape.hpp"
#include "host/analysis/steps/scopes.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// The allocations selected by a detail, on the terminal.
struct DetailTableOptions {
  double detail = 0.1;    // as in analysis::largest_blocks(), with its exceptions
  std::size_t rows = 40;  // of similar blocks
};

// Largest first, similar ones in one row, with all known properties.
std::string detail_table(const analysis::Facts& facts, const DetailTableOptions& options, bool colour,
                         int width);

// The output of `strata diff` for two runs.
// Lines of at most `width` columns; for layers, kinds and allocations the `most` with the largest changes.
// Names and colour as in terminal_report.
std::string diff_table(const analysis::RunDiff& diff, std::size_t most, bool colour, int width);

// "default stream", "graph's pool 1, stream 0x55766eae5f10".
std::string place_name(const analysis::Place& place);

// The memory of streams and private pools at the peak, and how much of it others cannot use. Empty if there
// is only one.
std::string place_table(const std::vector<analysis::PlaceShare>& shares, const TerminalStyle& style);

// The output of `strata diff` for more than two runs.
// For at least one comparison, all with one base: one column per run, the base first; below the peaks and the
// step time, their differences from the base. Columns that do not fit follow in another table, next to the
// base again. Width, names and colour as in diff_table.
std::string runs_table(const std::vector<analysis::RunDiff>& diffs, bool colour, int width);

// `strata report --scopes`: the peak of each kind of memory within each interval of the run, and the
// reconciliation of one moment.
std::string scope_report(const analysis::Facts& facts, const std::vector<analysis::Scope>& scopes,
                         bool colour, int width);

// The shapes of a memory timeline on the terminal.
// One line for each: its meaning, and how to remove it.
std::string shape_table(const analysis::MemoryFacts& facts, const std::vector<analysis::Shape>& shapes,
                        bool colour, int width);

// The peaks of a run's steps on the terminal.
// One line per step; the run's peak is marked.
std::string step_table(const analysis::MemoryFacts& facts, bool colour, int width);

// The first steady step of a run, and why earlier steps are slower, on the terminal.
// "from step 3 on, median 12.1 ms (95%: 12.0 to 12.2 ms); 3 steps of warm-up took 431 ms more"; empty for
// fewer than two steps.
std::string steady_sentence(const analysis::Facts& facts);

// A few lines for the report: the main causes of warm-up time. Empty without the plugin warmup_analyzer, and
// without a warm-up.
std::string short_warm_up(const analysis::Facts& facts, const TerminalStyle& style);

// Everything: the drawing of the steps' times, and the causes of each slow step.
std::string warm_up_report(const analysis::Facts& facts, bool colour, int width);

}  // namespace strata::report
