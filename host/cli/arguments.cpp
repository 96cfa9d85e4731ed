// SPDX-License-Identifier: Apache-2.0
#include "host/cli/arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <string>

#include "host/cli/exit_code.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/reading/value.hpp"

namespace strata::cli {

namespace {

bool is_program(const std::filesystem::path& word) {
  const std::string name = word.filename().string();
  return word.extension() == ".py" || name.starts_with("python") || name == "torchrun";
}

}  // namespace

void require_configuration(std::string_view command, const std::string& config) {
  if (!is_program(config)) return;
  throw UsageError(fmt::format(
      "{}: {}: expected a configuration's YAML file, found a program; to find a program's largest batch: "
      "strata fit --device rtx-4090 -- python train.py --batch-size {{}} (docs/fit.md)",
      command, config));
}

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
