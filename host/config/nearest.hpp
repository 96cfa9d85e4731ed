// "did you mean": the known name nearest to one that is not known.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace strata::config {

// The nearest of `known` by edit distance (insert, delete, replace, swap of neighbours), or empty when none
// is near enough to be meant: more than a third of the letters differ.
std::string_view nearest(std::string_view written, std::span<const std::string_view> known);

// "; did you mean 'x'?", or empty.
std::string did_you_mean(std::string_view written, std::span<const std::string_view> known);

}  // namespace strata::config
