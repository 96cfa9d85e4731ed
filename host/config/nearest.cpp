// SPDX-License-Identifier: Apache-2.0
#include "host/config/nearest.hpp"

#include <fmt/format.h>

#include <vector>

#include "strata/runtime/nearest_name.hpp"

namespace strata::config {

std::string nearest(std::string_view written, std::span<const std::string_view> known) {
  return nearest_name(written, std::vector<std::string>(known.begin(), known.end())).value_or("");
}

std::string did_you_mean(std::string_view written, std::span<const std::string_view> known) {
  const std::string best = nearest(written, known);
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

}  // namespace strata::config
