// SPDX-License-Identifier: Apache-2.0
// The cells of a grid before they are checked.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/config/schema/written.hpp"
#include "host/grid/file/grid_file.hpp"

namespace strata::grid {

// A cell's value along an axis.
struct Setting {
  std::string axis, label;
};

struct Draft {
  std::vector<Setting> settings;
  config::Written written;
  std::vector<config::Problem> problems;  // of overrides

  // "model.size=60m optimizer=galore", for messages.
  std::string text() const;
};

struct ExcludedBy {
  std::string rule;
  config::Place place;
  std::size_t cells = 0;
};

struct Drafts {
  std::vector<Draft> cells;
  std::vector<ExcludedBy> excluded;  // in the order of the rules
};

// The axis of an included cell, and that of a repeat.
inline constexpr const char* kIncludeAxis = "include";
inline constexpr const char* kSeedAxis = "seed";

// The product of the axes without cells removed by `exclude`, then those of `include`, each with every seed.
// Throws config::ConfigError if there are more than limits.max_cells.
Drafts draft_cells(const GridFile& grid);

}  // namespace strata::grid
