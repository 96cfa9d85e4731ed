// SPDX-License-Identifier: Apache-2.0
// How the cells of comparisons read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/diff/gate.hpp"
#include "host/analysis/diff/run_measures.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// "1,338.1" MiB, "182.4 ms", "12.3/s"; "–" of what was not recorded.
std::string amount(const std::optional<double>& value, analysis::MeasureUnit unit, int decimals);

// Of all its bytes, in either run: decimals_for takes it.
double largest_bytes(const std::vector<analysis::MeasureChange>& measures);

// The change in parts of the base: "-33.6%", "new", "gone"; empty where there is none, and where both are
// shown as less than what `decimals` show.
std::string changed_share(const analysis::MeasureChange& measure, int decimals);

// Whether a comparison says which steps its peaks are of: where one is of the first, which has no optimizer
// state before it, and another is not.
bool shows_peak_steps(const std::vector<std::int64_t>& steps);

// "FAIL  peak_allocated>+2%: peak_allocated is 5,120.0, the limit 4,096.0"
std::string gate_text(const analysis::Gate::Result& gate, int decimals, const TerminalStyle& style);

}  // namespace strata::report
