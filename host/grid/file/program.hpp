// SPDX-License-Identifier: Apache-2.0
// `program` of a grid: a command of the user's own, run by `strata exec` in each cell. {name} in its words is
// replaced by the cell's value.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::grid {

// Names of a cell that are options of `strata exec`.
inline constexpr const char* kExecNames[] = {"world", "ranks", "device", "plugins"};

struct Program {
  std::vector<std::string> words;
  config::Place place;

  std::set<std::string, std::less<>> placeholders() const;
};

// A text, split at blanks, or a list of words. Empty if there was a problem.
std::optional<Program> read_program(const config::WrittenValue& value,
                                    std::vector<config::Problem>& problems);

// One cell of it.
struct ProgramCell {
  std::vector<std::string> words;
  std::string world, ranks, plugins;  // of `strata exec`; empty: not set
  std::string device_yaml;            // empty: the machine's own
  std::optional<config::DeviceConfig> device;

  // The cell's file, config.yaml. `folder`: in which the program starts.
  std::string yaml(const std::string& folder) const;
};

// Adds a problem for a name without a value, and for invalid values.
ProgramCell cell_of_program(const Program& program, const config::Written& written,
                            std::vector<config::Problem>& problems);

}  // namespace strata::grid
