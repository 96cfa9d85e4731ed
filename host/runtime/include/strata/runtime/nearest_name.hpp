// SPDX-License-Identifier: Apache-2.0
// "Did you mean": finds the valid name closest to a misspelt one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/runtime/export.hpp"

namespace strata {

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours) to `word`. None if even
// that one differs in more than a third of its letters, or in all of them. The first one wins a tie.
STRATA_RUNTIME_EXPORT std::optional<std::string> nearest_name(std::string_view word,
                                                              const std::vector<std::string>& candidates);

// " Did you mean 'x'?" or "", to append to a sentence.
STRATA_RUNTIME_EXPORT std::string did_you_mean(std::string_view word,
                                               const std::vector<std::string>& candidates);

}  // namespace strata
