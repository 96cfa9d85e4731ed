// SPDX-License-Identifier: Apache-2.0
// From the tables of stacks in a run store to CallStacks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/reading/store_file.hpp"

namespace strata::analysis {

// `text` gives the text of a column that holds a string's id. Rows that make no sense are left out, and each
// kind of them is said once in `warn`.
CallStacks read_call_stacks(const StoreFile& file,
                            const std::function<std::string(const Row&, int column)>& text,
                            const std::function<void(const std::string&)>& warn);

}  // namespace strata::analysis
