// SPDX-License-Identifier: Apache-2.0
// Predicts the memory of cells: each is trained for two steps on the dry GPU.
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
  std::string problem;         // why there is no prediction
};

// The configuration for a cell's prediction: two steps of one process with only the allocator tracer, on the
// cell's own dry device, or on `card` if it has none.
std::string prediction_config(const std::string& config_yaml, const std::string& card);

// By `shape_id`: cells that differ only in their seed are predicted once. Runs `at_once` at a time, in
// `folder`, which exists. `told` is called with the number done and the total. A signal ends it early, with
// the predictions so far and the signal in the result.
struct Predictions {
  std::map<std::string, Prediction> by_shape;
  std::optional<int> interrupted;
};
Predictions predict(const std::vector<Cell>& cells, const std::string& card,
                    const std::filesystem::path& folder, std::int64_t at_once, const RunCommand& command,
                    const std::function<void(std::size_t, std::size_t)>& told);

}  // namespace strata::grid
