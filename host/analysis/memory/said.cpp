// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/memory/said.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace strata::analysis {
namespace {

std::string with_commas(std::string digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace

std::string said_bytes(std::uint64_t bytes) {
  constexpr double kMebi = 1048576.0;
  const double amount = static_cast<double>(bytes) / kMebi;
  return with_commas(fmt::format("{:.{}f}", amount, amount < 10.0 ? 3 : 1)) + " MiB";
}

std::string said_count(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", with_commas(fmt::format("{}", count)), count == 1 ? one : many);
}

}  // namespace strata::analysis
