// SPDX-License-Identifier: Apache-2.0
// Reads CallStacks from the stack tables of a run store.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/reading/store_file.hpp"

namespace strata::analysis {

// `text` returns the text of a column with a string id. Invalid rows are skipped, with one call of `warn` per
// kind.
CallStacks read_call_stacks(const StoreFile& file,
                            const std::function<std::string(const Row&, int column)>& text,
                            const std::function<void(const std::string&)>& warn);

}  // namespace strata::analysis
