// SPDX-License-Identifier: Apache-2.0
// `strata devices`: the device profiles, and where each number of one comes from.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/terminal.hpp"
#include "host/config/files/device_profile.hpp"

namespace strata::cli {
namespace {

using Json = nlohmann::ordered_json;
using config::DeviceProfile;

struct DevicesArguments {
  std::string name;
  bool json = false;
};

Json to_json(const DeviceProfile& profile) {
  Json json = {{"key", profile.key}, {"file", profile.file}};
  for (const DeviceProfile::Fact& fact : profile.facts)
    json[std::string(fact.key)] = {{"value", fact.value}, {"source", fact.source}};
  return json;
}

std::string list(const std::vector<DeviceProfile>& profiles) {
  std::string text = fmt::format("{:<14}{:<28}{:>10}{:>6}{:>6}{:>9}{:>12}\n", "device", "name", "memory GiB",
                                 "SMs", "cc", "GB/s", "bf16 Tflops");
  for (const DeviceProfile& profile : profiles) {
    text += fmt::format(
        "{:<14}{:<28}{:>10.2f}{:>6}{:>6}{:>9.0f}{:>12}\n", profile.key, profile.name,
        static_cast<double>(profile.memory_bytes) / 0x1p30, profile.multiprocessors,
        fmt::format("{}.{}", profile.compute_capability.major, profile.compute_capability.minor),
        profile.memory_gb_per_s, profile.bf16_tflops > 0 ? fmt::format("{:.1f}", profile.bf16_tflops) : "-");
  }
  return text;
}

std::string details(const DeviceProfile& profile) {
  std::string text = fmt::format("{}: {}\n", profile.key, profile.file.string());
  for (const DeviceProfile::Fact& fact : profile.facts) {
    text += fmt::format("  {:<32}{}\n", fact.key, fact.value);
    text += fmt::format("      {}\n", fact.source.empty() ? "no source given" : fact.source);
  }
  return text;
}

std::vector<DeviceProfile> all_profiles() {
  std::vector<DeviceProfile> profiles;
  for (const std::string& key : config::device_keys()) profiles.push_back(config::load_device_profile(key));
  std::ranges::stable_sort(profiles, {}, &DeviceProfile::memory_bytes);
  return profiles;
}

void show(const DevicesArguments& arguments) {
  const bool one = !arguments.name.empty();
  const std::vector<DeviceProfile> profiles =
      one ? std::vector{config::load_device_profile(arguments.name)} : all_profiles();
  if (!arguments.json) return print(one ? details(profiles.front()) : list(profiles));
  Json devices = Json::array();
  for (const DeviceProfile& profile : profiles) devices.push_back(to_json(profile));
  const Json document = {{"schema", "strata.devices/1"}, {"devices", std::move(devices)}};
  print(document.dump(2) + '\n');
}

}  // namespace

void add_devices_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<DevicesArguments>();
  CLI::App* const command =
      app.add_subcommand("devices", "List device profiles, or the numbers of one and their sources");
  command->add_option("NAME", arguments->name, "A profile, or your own file");
  command->add_flag("--json", arguments->json, "Print JSON, strata.devices/1");
  command->footer(
      "A profile describes the card that a dry GPU simulates: its memory, architecture and rates. Your own "
      "file\n"
      "uses the same keys; a number may be given without its source.\n\n"
      "Examples:\n"
      "  strata devices\n"
      "  strata devices h100-80gb\n"
      "  strata devices ./my-card.yaml --json");
  command->callback([arguments, &exit_code] {
    show(*arguments);
    exit_code = kDone;
  });
}

}  // namespace strata::cli
