// SPDX-License-Identifier: Apache-2.0
// A parsed grid file: common settings of all cells, axes, and how cells are run.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"
#include "host/grid/file/axis.hpp"
#include "host/grid/file/condition.hpp"
#include "host/grid/file/names.hpp"
#include "host/grid/file/options.hpp"
#include "host/grid/file/program.hpp"

namespace strata::grid {

struct GridFile {
  std::filesystem::path file;
  std::string name;
  std::optional<Program> program;  // that cells run; else they are runs of Strata's own trainer
  Names names;                     // that the cells can set
  config::Written base;            // of `base`, `set` and `plugins`, later ones override
  std::vector<Axis> axes;          // the last one varies fastest
  std::vector<Rule> exclude;
  std::vector<Point> include;          // cells in addition to those of the axes
  std::vector<std::string> overrides;  // `key=value` for every run; highest priority
  Options options;
  std::vector<config::Problem> problems;  // errors in the file; thrown by plan_grid
  std::vector<std::string> notes;         // remarks that are not errors
};

// A `key=value` may set a key of the runs (replacing its axis if there is one; a list makes an axis), or one
// of limits, engine, repeats, seeds and name. Throws config::ConfigError if the text is not a YAML mapping,
// or is that of a run. Other errors are in `problems`, to be reported together with errors in the cells.
GridFile read_grid(std::string_view text, const std::filesystem::path& file,
                   std::span<const std::string> overrides = {});
GridFile load_grid(const std::filesystem::path& file, std::span<const std::string> overrides = {});

}  // namespace strata::grid
