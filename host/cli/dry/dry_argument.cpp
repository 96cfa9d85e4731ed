// SPDX-License-Identifier: Apache-2.0
#include "host/cli/dry/dry_argument.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host/cli/usage_error.hpp"
#include "host/config/problem.hpp"
#include "host/config/schema/compute_device.hpp"

namespace strata::cli {
namespace {

// PROFILE and N in "PROFILE:N"; N is empty if not given.
std::pair<std::string, std::string> profile_and_count(const std::string& text) {
  const auto colon = text.rfind(':');
  const std::string count = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (count.empty() || count.find_first_not_of("0123456789") != std::string::npos) return {text, ""};
  return {text.substr(0, colon), count};
}

struct DryOption {
  std::string_view key;   // of the YAML's `device`
  std::string_view name;  // as it is typed
  std::string DryArguments::*value;
};

constexpr DryOption kDryOptions[] = {
    {"memory", "--device-memory", &DryArguments::memory},
    {"answers", "--answers", &DryArguments::answers},
    {"clock", "--clock", &DryArguments::clock},
    {"cudnn_workspaces", "--cudnn-workspaces", &DryArguments::cudnn_workspaces},
    {"cudnn_workspace", "--cudnn-workspace", &DryArguments::cudnn_workspace},
    {"cusolver_workspace", "--cusolver-workspace", &DryArguments::cusolver_workspace},
    {"nccl_memory", "--nccl-memory", &DryArguments::nccl_memory}};

// Reports errors in terms of options and not of keys; errors inside a file named by an option are reported
// with their place.
std::string in_options(const config::ConfigError& error, const std::string& command,
                       const DryArguments& arguments) {
  std::string text;
  for (const config::Problem& problem : error.problems()) {
    text += text.empty() ? "" : "\n";
    if (!problem.place.command_line) {
      text += problem.text();
      continue;
    }
    const auto option = std::ranges::find_if(kDryOptions, [&](const DryOption& each) {
      return problem.key == fmt::format("device.{}", each.key);
    });
    const bool is_profile = option == std::end(kDryOptions);
    text += fmt::format("{}: {} {}: {}", command, is_profile ? "--dry" : option->name,
                        is_profile ? arguments.profile : arguments.*option->value, problem.message);
  }
  return text;
}

}  // namespace

bool DryArguments::has_count() const {
  return !profile_and_count(profile).second.empty();
}

std::string DryArguments::device(const std::string& command) const {
  const auto [key, count] = profile_and_count(profile);
  std::string text = "{dry: " + nlohmann::json(key).dump();
  if (!count.empty()) text += ", count: " + count;
  for (const DryOption& option : kDryOptions) {
    const std::string& value = this->*option.value;
    if (value.empty()) continue;
    if (profile.empty())
      throw UsageError(fmt::format("{}: {} needs a dry device; add --dry PROFILE", command, option.name));
    text += fmt::format(", {}: {}", option.key, nlohmann::json(value).dump());
  }
  if (profile.empty()) return {};
  text += '}';
  try {
    config::parse_device(text, std::filesystem::current_path());
  } catch (const config::ConfigError& error) {
    throw UsageError(in_options(error, command, *this));
  }
  return text;
}

std::vector<std::string> dry_options_of(const std::string& device_yaml) {
  const YAML::Node device = YAML::Load(device_yaml);
  const auto text_of = [&](std::string_view key) {
    const YAML::Node value = device[std::string(key)];
    return value ? value.as<std::string>() : std::string();
  };
  const std::string count = text_of("count");
  std::vector<std::string> words{"--dry", text_of("dry") + (count.empty() ? "" : ":" + count)};
  for (const DryOption& option : kDryOptions) {
    const std::string value = text_of(option.key);
    if (value.empty()) continue;
    words.emplace_back(option.name);
    words.push_back(value);
  }
  return words;
}

void add_dry_options(CLI::App& command, DryArguments& arguments) {
  command.add_option(
      "--dry", arguments.profile,
      "PROFILE[:N]: use N simulated GPUs of this kind, which compute nothing; see `strata devices`");
  command.add_option("--device-memory", arguments.memory,
                     "Memory of each dry GPU, such as 24GiB, instead of the card's");
  command.add_option("--answers", arguments.answers,
                     "File with values for reads of values that the dry GPU does not compute; each process "
                     "uses them from the first one on");
  command.add_option("--clock", arguments.clock,
                     "modelled: compute the time of work from the card's peak rates [none]");
  command.add_option(
      "--cudnn-workspaces", arguments.cudnn_workspaces,
      "asked: ask the cuDNN of the program's torch what convolutions need; off: do not ask [asked]");
  command.add_option("--cudnn-workspace", arguments.cudnn_workspace,
                     "Workspace of each cuDNN convolution, such as 32MiB, instead of cuDNN's answer");
  command.add_option("--cusolver-workspace", arguments.cusolver_workspace,
                     "Workspace of each cuSOLVER decomposition, instead of the formulas' result");
  command.add_option("--nccl-memory", arguments.nccl_memory,
                     "Device memory of each NCCL communicator [as in the profile]");
}

}  // namespace strata::cli
