// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/checkpoint_files.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

namespace strata::config {
namespace {

constexpr std::string_view kPrefix = "step_";
constexpr std::string_view kSuffix = ".pt";

std::optional<std::uint64_t> steps_of(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) || name.size() < kPrefix.size() + kSuffix.size())
    return std::nullopt;
  const std::string_view digits = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  std::uint64_t steps = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), steps);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return steps;
}

}  // namespace

std::string checkpoint_name(std::uint64_t steps) {
  return fmt::format("{}{}{}", kPrefix, steps, kSuffix);
}

std::map<std::uint64_t, std::filesystem::path> checkpoints_in(const std::filesystem::path& folder) {
  std::map<std::uint64_t, std::filesystem::path> checkpoints;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (const auto steps = steps_of(entry.path().filename().string())) checkpoints[*steps] = entry.path();
  }
  return checkpoints;
}

std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& folder) {
  for (const auto& place : {folder, folder / kCheckpointFolder}) {
    const auto checkpoints = checkpoints_in(place);
    if (!checkpoints.empty()) return checkpoints.rbegin()->second;
  }
  return std::nullopt;
}

}  // namespace strata::config
