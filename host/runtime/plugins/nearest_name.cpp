// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace strata {
namespace {

// Damerau-Levenshtein distance with adjacent swaps (optimal string alignment), row by row.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_previous(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before_previous[j - 2] + 1);
    }
    std::swap(before_previous, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> nearest;
  std::size_t nearest_distance = 0;
  for (const std::string& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    const std::size_t allowed = std::max<std::size_t>(1, longer / 3);
    if (longer - shorter > allowed) continue;  // spares comparing a text of any length
    const std::size_t distance = edit_distance(word, candidate);
    if (distance > allowed || distance >= candidate.size() || (nearest && distance >= nearest_distance))
      continue;
    nearest = candidate;
    nearest_distance = distance;
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> nearest = nearest_name(word, candidates);
  return nearest ? fmt::format(" Did you mean '{}'?", *nearest) : std::string();
}

}  // namespace strata
