// SPDX-License-Identifier: Apache-2.0
// What the commands that read a grid's YAML have alike.
#pragma once

#include <string>
#include <vector>

#include "host/cli/dry/dry_argument.hpp"
#include "host/grid/plan/plan.hpp"
#include "host/grid/plan/prediction.hpp"
#include "host/grid/runner.hpp"

namespace CLI {
class App;
}

namespace strata::cli {

struct GridInput {
  std::string file;
  std::vector<std::string> overrides;
  DryArguments dry;

  void add_to(CLI::App& command);
  // Throws config::ConfigError and UsageError.
  grid::Planned plan() const;
};

// This program, on one configuration.
grid::RunCommand run_command();

// Of the real ones that this machine has; 0 where no cell asks for any.
std::int64_t gpus_for(const grid::Plan& plan);

// The card that stands in where a cell's own device is not a dry one: the one with the most memory.
inline constexpr const char* kPredictingCard = "b200";

// In a folder that goes away again. `many` cells at once at most.
grid::Predictions predicted(const std::vector<grid::Cell>& cells, const std::string& card, std::int64_t many);

}  // namespace strata::cli
