#include "host/config/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace strata::config {
namespace {

constexpr std::size_t kLongestName = 64;

// Optimal string alignment distance, three rows at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], two_back[j - 2] + 1);
    }
    std::swap(two_back, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view written, std::span<const std::string_view> known) {
  if (written.empty() || written.size() > kLongestName) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, written.size() / 3) + 1;
  for (const std::string_view name : known) {
    const std::size_t distance = edit_distance(written, name);
    if (distance < best_distance && distance < name.size()) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view written, std::span<const std::string_view> known) {
  const std::string_view best = nearest(written, known);
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

}  // namespace strata::config
