// SPDX-License-Identifier: Apache-2.0
#include "host/cli/detail_argument.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "host/cli/exit_code.hpp"
#include "host/cli/usage_error.hpp"

namespace strata::cli {

double parse_detail(std::string_view text) {
  const auto end = text.find_last_not_of("% ");
  const std::string_view number = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  double percent = 0.0;
  const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), percent);
  const std::string_view behind = text.substr(number.size());
  const bool is_percent = behind == "%" || behind == " %";
  if (error != std::errc() || rest != number.data() + number.size() || !is_percent ||
      !(percent > 0.0 && percent <= 100.0))
    throw UsageError(fmt::format(
        "--detail {}: expected the share of allocations to show, above 0% and at most 100%, such as 10%",
        text));
  return percent / 100.0;
}

}  // namespace strata::cli
