// "Did you mean": the valid name that a misspelt one is closest to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours) to `word`; none when even
// that one differs in more than a third of its letters. Ties go to the first.
std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// " Did you mean 'x'?" or "", to be appended to a message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace strata
