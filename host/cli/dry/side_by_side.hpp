// SPDX-License-Identifier: Apache-2.0
// Independent trials in processes of their own, some of them at once.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace strata::cli {

// What `body` returns for each number below `count`, at most `jobs` of them at a time. `body` runs in another
// process. Throws std::runtime_error with the message of what one threw, and TrialInterrupted. This process
// must have no other thread.
std::vector<std::string> run_side_by_side(std::size_t count, std::size_t jobs,
                                          const std::function<std::string(std::size_t)>& body);

// As many trials as this machine's cores, and what is free of its memory, allow where each takes so much.
std::size_t trials_at_once(std::uint64_t bytes_of_each);

}  // namespace strata::cli
