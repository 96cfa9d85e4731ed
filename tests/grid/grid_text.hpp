// SPDX-License-Identifier: Apache-2.0
// Grids of tiny models, as text.
#pragma once

#include <string>
#include <vector>

#include "host/grid/file/grid_file.hpp"
#include "host/grid/plan/plan.hpp"

namespace strata::test {

inline const std::string kTinyBase =
    "grid: 1\n"
    "base: {model: {size: custom, layers: 1, d_model: 8, d_ff: 8, heads: 1, vocab: 16, context: 4}}\n";

inline grid::GridFile read(const std::string& rest, const std::vector<std::string>& overrides = {}) {
  return grid::read_grid(kTinyBase + rest, "g.yaml", overrides);
}

inline grid::Planned plan(const std::string& rest, const std::vector<std::string>& overrides = {}) {
  return grid::plan_grid(read(rest, overrides));
}

// One text per cell, as in messages.
inline std::vector<std::string> cells(const std::string& rest,
                                      const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> texts;
  for (const grid::Cell& cell : plan(rest, overrides).plan.cells) texts.push_back(cell.text());
  return texts;
}

// The problems' lines; empty if all cells are valid.
inline std::vector<std::string> grid_problems(const std::string& text,
                                              const std::vector<std::string>& overrides = {}) {
  try {
    grid::plan_grid(grid::read_grid(text, "g.yaml", overrides));
    return {};
  } catch (const config::ConfigError& error) {
    std::vector<std::string> lines;
    for (const config::Problem& problem : error.problems()) lines.push_back(problem.text());
    return lines;
  }
}

}  // namespace strata::test
