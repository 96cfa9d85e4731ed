// SPDX-License-Identifier: Apache-2.0
// Memory by module on the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/layer_tree.hpp"
#include "host/analysis/facts/peak.hpp"
#include "host/analysis/layers/layer_tree.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// For the report: a dozen rows with the modules' memory at the run's peak or at a failed allocation, and how
// to record modules if they are missing.
std::string short_layer_table(std::string_view heading, const analysis::MemoryFacts& facts,
                              const analysis::Peak& moment, const TerminalStyle& style);

// The modules' memory at a moment; empty for a run without blocks.
analysis::LayerTree layer_tree_at(const analysis::MemoryFacts& facts, const analysis::Peak& moment);

// About that many rows of such a tree, and nothing else.
std::string largest_layers(std::string_view heading, const analysis::LayerTree& tree, std::size_t rows,
                           const TerminalStyle& style);

struct LayerTableOptions {
  std::optional<std::int64_t> step;    // use its peak; empty: the run's
  std::optional<std::uint32_t> depth;  // of the rows; empty: all
  bool unfold = false;                 // show identical modules in separate rows
};

// All modules, by category, with maximum and mean over the step. The run must have that step.
std::string layer_table(const analysis::MemoryFacts& facts, const LayerTableOptions& options, bool colour,
                        int width);

}  // namespace strata::report
