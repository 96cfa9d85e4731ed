// SPDX-License-Identifier: Apache-2.0
#include "host/cli/size_argument.hpp"

#include <fmt/format.h>

#include "host/cli/usage_error.hpp"
#include "host/config/reading/value.hpp"

namespace strata::cli {

std::uint64_t parse_size(std::string_view option, std::string_view text) {
  // A card has fewer GiB, and fewer MiB are hardly asked about.
  constexpr std::int64_t kMostGibibytes = 1024, kMostMebibytes = 65536;
  const auto bytes = config::parse_bytes(text);
  if (!bytes || *bytes <= 0) {
    throw UsageError(fmt::format(
        "{} {}: expected a size such as 24GiB, in KiB, MiB, GiB or TiB (powers of 2)", option, text));
  }
  if (*bytes < kMostMebibytes && config::parse_integer(text)) {
    throw UsageError(fmt::format("{} {}: is only {} bytes; expected a unit, as in {}{}", option, text, text,
                                 text, *bytes <= kMostGibibytes ? "GiB" : "MiB"));
  }
  return static_cast<std::uint64_t>(*bytes);
}

}  // namespace strata::cli
