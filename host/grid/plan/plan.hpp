// SPDX-License-Identifier: Apache-2.0
// All cells of a grid, each of which could be started.
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

// What running a cell takes of the machine, as far as its configuration says it.
struct Needs {
  std::int64_t cores = 1;  // that it keeps busy; 0: as many as there are
  std::int64_t gpus = 0;
};

struct Cell {
  std::string id;
  std::vector<Setting> settings;
  std::string config_yaml;
  std::optional<std::uint64_t> parameters;  // nothing where a file says what the model is
  std::string device;                       // "dry h100-80gb"
  Needs needs;
  std::string shape_id;  // the same for cells that differ in their seed alone, and need the same memory

  // Its label along that axis; empty where it has none.
  std::string label(std::string_view axis) const;
  // "model.size=60m optimizer=galore"
  std::string text() const;
};

// A label and what it stands for, `sgd` of the axis `optimizer`: of axes where not every label says it all.
struct ShortLabel {
  std::string axis, label;
  std::string settings;  // "{name: sgd, momentum: 0.9}"
};

struct Plan {
  std::string name;
  std::string file;                // the grid's
  std::vector<std::string> axes;   // in the order of their columns
  std::vector<ShortLabel> labels;  // in the file's order
  std::vector<Cell> cells;
  Limits limits;
  Engine engine;
};

struct Planned {
  Plan plan;
  std::vector<ExcludedBy> excluded;
  std::vector<std::string> notes;  // cells that are the same, rules that took none
};

// Throws config::ConfigError with all that is wrong with the file and with any cell, once each, and which
// cells have it.
Planned plan_grid(const GridFile& grid, const config::PluginCheck& check_plugins = {});

}  // namespace strata::grid
