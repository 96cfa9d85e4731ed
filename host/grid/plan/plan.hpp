// SPDX-License-Identifier: Apache-2.0
// All cells of a grid, each of them valid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/config/loading/load.hpp"
#include "host/config/run_config.hpp"
#include "host/grid/file/grid_file.hpp"
#include "host/grid/plan/draft.hpp"

namespace strata::grid {

// The resources of a cell's run, as far as its configuration determines them.
struct Needs {
  std::int64_t cores = 1;  // that it keeps busy; 0: all
  std::int64_t gpus = 0;
};

struct Cell {
  std::string id;
  std::vector<Setting> settings;
  std::string config_yaml;                  // of a run, or of a program (host/grid/file/program.hpp)
  std::optional<std::uint64_t> parameters;  // empty if the model is defined in a file
  std::string device;                       // "dry h100-80gb"
  Needs needs;
  std::string shape_id;  // equal for cells that differ only in their seed, and need the same memory

  // Its label along that axis; empty if it has none.
  std::string label(std::string_view axis) const;
  // "model.size=60m optimizer=galore"
  std::string text() const;
};

// A label and its meaning, such as `sgd` of the axis `optimizer`: for axes on which not every label is
// complete.
struct ShortLabel {
  std::string axis, label;
  std::string settings;  // "{name: sgd, momentum: 0.9}"
};

struct Plan {
  std::string name;
  std::string file;                // the grid's
  std::vector<std::string> axes;   // in the order of the columns
  std::vector<ShortLabel> labels;  // in the file's order
  std::vector<Cell> cells;
  Limits limits;
  Engine engine;
};

struct Planned {
  Plan plan;
  bool runs_program = false;  // instead of Strata's own trainer
  std::vector<ExcludedBy> excluded;
  std::vector<std::string> notes;  // identical cells, rules that removed none
};

// Throws config::ConfigError with all errors in the file and in any cell, each listed once with the cells
// that have it.
Planned plan_grid(const GridFile& grid, const config::PluginCheck& check_plugins = {});

}  // namespace strata::grid
