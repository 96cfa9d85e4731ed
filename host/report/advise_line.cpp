// SPDX-License-Identifier: Apache-2.0
#include "host/report/advise_line.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/analysis/facts/facts.hpp"
#include "host/report/shell_word.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

namespace fs = std::filesystem;

using analysis::Facts;

// The profile of the simulated card. For a real card the driver's name does not determine it.
bool knows_card(const Facts& facts) {
  return facts.dry && !facts.dry->profile.empty();
}

std::string card(const Facts& facts) {
  if (!knows_card(facts)) return "CARD";
  const std::string profile = shell_word(facts.dry->profile);
  return facts.dry->devices > 1 ? fmt::format("{}:{}", profile, facts.dry->devices) : profile;
}

// In the largest unit in which it is a whole number.
std::string size_word(std::uint64_t bytes) {
  constexpr std::array<std::pair<unsigned, std::string_view>, 3> kUnits{
      {{30, "GiB"}, {20, "MiB"}, {10, "KiB"}}};
  for (const auto& [shift, unit] : kUnits)
    if (bytes >> shift << shift == bytes) return fmt::format("{}{}", bytes >> shift, unit);
  return fmt::format("{}", bytes);
}

std::string memory_option(const Facts& facts, std::optional<std::uint64_t> memory_bytes) {
  if (!memory_bytes && facts.dry && facts.dry->memory_is_given) memory_bytes = facts.dry->memory_bytes;
  return memory_bytes ? " --device-memory " + size_word(*memory_bytes) : "";
}

// A script that is handed over as one word, as python -c takes it, has lines of its own.
std::string printable_lines(std::string_view text) {
  std::string lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines += printable(text.substr(0, end)) + '\n';
    text.remove_prefix(end + 1);
  }
  return lines + printable(text);
}

fs::path config_file(const Facts& facts) {
  return fs::path(facts.directory) / "config.yaml";
}

// Relative to the current folder if that is shorter.
fs::path shorter(const fs::path& path) {
  std::error_code ignored;
  const fs::path nearby = fs::proximate(path, ignored);
  return !nearby.empty() && nearby.string().size() < path.string().size() ? nearby : path;
}

std::string command_with(const Facts& facts, const fs::path& config,
                         std::optional<std::uint64_t> memory_bytes) {
  const std::string device = fmt::format("--device {}{}", card(facts), memory_option(facts, memory_bytes));
  if (facts.is_configured) return fmt::format("strata advise {} {}", shell_word(config.string()), device);
  return fmt::format("strata advise {} -- {}", device, facts.command.empty() ? "COMMAND" : facts.command);
}

}  // namespace

std::string advise_command(const Facts& facts, std::optional<std::uint64_t> memory_bytes) {
  return command_with(facts, config_file(facts), memory_bytes);
}

std::string advise_label(const Facts& facts) {
  return knows_card(facts) ? "What would make it fit:"
                           : "What would make it fit, on a CARD of `strata devices`:";
}

std::string advise_line(const Facts& facts, int width, std::optional<std::uint64_t> memory_bytes) {
  const std::string label = advise_label(facts);
  const std::string command = printable_lines(command_with(facts, shorter(config_file(facts)), memory_bytes));
  const bool is_one_line =
      command.find('\n') == std::string::npos && columns(label) + 1 + columns(command) <= width;
  return fmt::format("{}{}{}\n", label, is_one_line ? " " : "\n  ", command);
}

}  // namespace strata::report
