// SPDX-License-Identifier: Apache-2.0
// How much memory cells will need: each is trained for two steps on the dry GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/grid/plan/plan.hpp"
#include "host/grid/runner.hpp"

namespace strata::grid {

struct Prediction {
  std::optional<std::uint64_t> peak_allocated, peak_reserved;
  bool out_of_memory = false;  // of the card
  std::string problem;         // why there is none
};

// The configuration of a cell's prediction: two steps of one process with the allocator tracer alone, on the
// cell's own dry device, or on `card` where it has none.
std::string prediction_config(const std::string& config_yaml, const std::string& card);

// By `shape_id`: cells that differ in their seed alone are asked for once. `at_once` at a time, in `folder`,
// which is there. `told` hears how many are done, of how many. Ends early, with what it has, on a signal,
// which it returns.
struct Predictions {
  std::map<std::string, Prediction> by_shape;
  std::optional<int> interrupted;
};
Predictions predict(const std::vector<Cell>& cells, const std::string& card,
                    const std::filesystem::path& folder, std::int64_t at_once, const RunCommand& command,
                    const std::function<void(std::size_t, std::size_t)>& told);

}  // namespace strata::grid
