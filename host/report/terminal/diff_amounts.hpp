// SPDX-License-Identifier: Apache-2.0
// Formats the cells of comparisons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/diff/gate.hpp"
#include "host/analysis/diff/run_measures.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// "1,338.1" MiB, "182.4 ms", "12.3/s"; "–" if not recorded.
std::string amount(const std::optional<double>& value, analysis::MeasureUnit unit, int decimals);

// The largest byte value in either run, for decimals_for.
double largest_bytes(const std::vector<analysis::MeasureChange>& measures);

// The change relative to the base: "-33.6%", "new", "gone"; empty if there is none, or if both values are
// below the precision of `decimals`.
std::string changed_share(const analysis::MeasureChange& measure, int decimals);

// Whether a comparison names the steps of its peaks: if one is in the first step, which has no optimizer
// state before it, and another is not.
bool shows_peak_steps(const std::vector<std::int64_t>& steps);

// "FAIL  peak_allocated>+2%: peak_allocated is 5,120.0, the limit 4,096.0"
std::string gate_text(const analysis::Gate::Result& gate, int decimals, const TerminalStyle& style);

}  // namespace strata::report
