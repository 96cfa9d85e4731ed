// SPDX-License-Identifier: Apache-2.0
// Reads the Python stacks of a run store, and which event was made under which.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/reading/store_file.hpp"

namespace strata::analysis {

struct PythonStacks {
  // The frames of each stack, innermost first.
  std::vector<std::vector<PythonFrame>> stacks;
  std::unordered_map<std::uint64_t, std::uint32_t> of_event;  // by its sequence: index into `stacks`
};

// Empty if the run took none. Invalid rows are skipped, with one call of `warn` per kind.
PythonStacks read_python_stacks(const StoreFile& file,
                                const std::function<std::string(const Row&, int column)>& text,
                                const std::function<void(const std::string&)>& warn);

}  // namespace strata::analysis
