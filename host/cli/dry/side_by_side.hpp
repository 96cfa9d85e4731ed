// SPDX-License-Identifier: Apache-2.0
// Runs independent trials in separate processes, several at once.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace strata::cli {

// Returns the results of `body` for each number below `count`, with at most `jobs` at a time. `body` runs in
// another process. Throws std::runtime_error with the message of an exception from `body`, and
// TrialInterrupted. This process must have no other thread.
std::vector<std::string> run_side_by_side(std::size_t count, std::size_t jobs,
                                          const std::function<std::string(std::size_t)>& body);

// The number of trials that this machine's cores and free memory allow, each using `bytes_of_each`.
std::size_t trials_at_once(std::uint64_t bytes_of_each);

}  // namespace strata::cli
