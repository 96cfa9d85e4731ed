// SPDX-License-Identifier: Apache-2.0
// A grid's YAML, read: what all cells have alike, along which axes they differ, and how they are run.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"
#include "host/grid/file/axis.hpp"
#include "host/grid/file/condition.hpp"
#include "host/grid/file/options.hpp"

namespace strata::grid {

struct GridFile {
  std::filesystem::path file;
  std::string name;
  config::Written base;    // of `base`, `set` and `plugins`, the later over the earlier
  std::vector<Axis> axes;  // the last varies fastest
  std::vector<Rule> exclude;
  std::vector<Point> include;          // cells beside those of the axes
  std::vector<std::string> overrides;  // `key=value` for every run, over all else
  Options options;
  std::vector<config::Problem> problems;  // what is wrong with the file; plan_grid throws them
  std::vector<std::string> notes;         // what the reader should know, and is no mistake
};

// A `key=value` may set a key of the runs (instead of the axis over it, where there is one; a list makes an
// axis), or one of limits, engine, repeats, seeds and name. Throws config::ConfigError where the text is no
// YAML mapping, or is of a run; what else is wrong stands in `problems`, to be told with what is wrong with
// the cells.
GridFile read_grid(std::string_view text, const std::filesystem::path& file,
                   std::span<const std::string> overrides = {});
GridFile load_grid(const std::filesystem::path& file, std::span<const std::string> overrides = {});

}  // namespace strata::grid
