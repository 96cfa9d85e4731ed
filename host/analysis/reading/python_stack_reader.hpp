// SPDX-License-Identifier: Apache-2.0
// From the tables of Python stacks in a run store to stacks of frames, and which event was made under which.
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
  // Of each stack the frames, innermost first.
  std::vector<std::vector<PythonFrame>> stacks;
  std::unordered_map<std::uint64_t, std::uint32_t> of_event;  // by its sequence, an index into `stacks`
};

// Empty where the run took none. Rows that make no sense are left out, and each kind of them is said once in
// `warn`.
PythonStacks read_python_stacks(const StoreFile& file,
                                const std::function<std::string(const Row&, int column)>& text,
                                const std::function<void(const std::string&)>& warn);

}  // namespace strata::analysis
