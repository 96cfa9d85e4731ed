// SPDX-License-Identifier: Apache-2.0
// Common code of the commands that read a grid's YAML.
#pragma once

#include <string>
#include <vector>

#include "host/cli/dry/dry_argument.hpp"
#include "host/grid/plan/plan.hpp"
#include "host/grid/prediction.hpp"
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

// The command that runs this program on one configuration.
grid::RunCommand run_command();

// The number of real GPUs of this machine; 0 if no cell uses any.
std::int64_t gpus_for(const grid::Plan& plan);

// The card used for prediction if a cell's own device is not a dry one: the one with the most memory.
inline constexpr const char* kPredictingCard = "b200";

// In a temporary folder. At most `many` cells at once.
grid::Predictions predicted(const std::vector<grid::Cell>& cells, const std::string& card, std::int64_t many);

}  // namespace strata::cli
