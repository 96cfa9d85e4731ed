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

// A dozen rows of what the modules hold at a moment, the run's peak or when an allocation failed, for the
// report; and how to know more, where a forward's modules are not told.
std::string short_layer_table(std::string_view heading, const analysis::MemoryFacts& facts,
                              const analysis::Peak& moment, const TerminalStyle& style);

// What the modules hold at a moment; empty of a run without blocks.
analysis::LayerTree layer_tree_at(const analysis::MemoryFacts& facts, const analysis::Peak& moment);

// About so many rows of such a tree, and nothing else.
std::string largest_layers(std::string_view heading, const analysis::LayerTree& tree, std::size_t rows,
                           const TerminalStyle& style);

struct LayerTableOptions {
  std::optional<std::int64_t> step;    // whose peak; nothing: the run's
  std::optional<std::uint32_t> depth;  // of the rows; nothing: all
  bool unfold = false;                 // modules that are alike each in a row of its own
};

// All of them, by category, with the most and the mean over the step. Facts must hold the step.
std::string layer_table(const analysis::MemoryFacts& facts, const LayerTableOptions& options, bool colour,
                        int width);

}  // namespace strata::report
