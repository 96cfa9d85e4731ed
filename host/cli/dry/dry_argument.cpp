// SPDX-License-Identifier: Apache-2.0
#include "host/cli/dry/dry_argument.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host/cli/commands.hpp"

namespace strata::cli {
namespace {

// PROFILE and N of "PROFILE:N"; N is 1 when it does not say.
std::pair<std::string, std::string> profile_and_count(const std::string& text) {
  const auto colon = text.rfind(':');
  const std::string count = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (count.empty() || count.find_first_not_of("0123456789") != std::string::npos) return {text, "1"};
  return {text.substr(0, colon), count};
}

}  // namespace

std::string DryArguments::device(const std::string& command) const {
  const std::pair<std::string_view, const std::string*> others[] = {
      {"device_memory", &memory},
      {"answers", &answers},
      {"clock", &clock},
      {"cudnn_workspace", &cudnn_workspace},
      {"cusolver_workspace", &cusolver_workspace},
      {"nccl_memory", &nccl_memory}};
  const auto [key, count] = profile_and_count(profile);
  std::string text = fmt::format("{{dry: {}, count: {}", nlohmann::json(key).dump(), count);
  for (const auto& [name, value] : others) {
    if (value->empty()) continue;
    if (profile.empty()) {
      std::string option(name);
      std::ranges::replace(option, '_', '-');
      throw UsageError(fmt::format("{}: --{} is for a dry device; give --dry PROFILE too", command, option));
    }
    text += fmt::format(", {}: {}", name == "device_memory" ? "memory" : name, nlohmann::json(*value).dump());
  }
  return profile.empty() ? std::string() : text + "}";
}

void add_dry_options(CLI::App& command, DryArguments& arguments) {
  command.add_option("--dry", arguments.profile,
                     "PROFILE[:N]: on N GPUs of that kind, which compute nothing; see `strata devices`");
  command.add_option("--device-memory", arguments.memory,
                     "Memory of each dry GPU, as 24GiB, instead of what the card has");
  command.add_option("--answers", arguments.answers,
                     "File with values for reads of what nobody knows, in each process from its first on");
  command.add_option("--clock", arguments.clock,
                     "modelled: work takes the time that the card's peak rates say [none]");
  command.add_option("--cudnn-workspace", arguments.cudnn_workspace,
                     "Memory that each convolution of cuDNN asks for, as 32MiB: it is not documented [0]");
  command.add_option("--cusolver-workspace", arguments.cusolver_workspace,
                     "The same of each decomposition of cuSOLVER [0]");
  command.add_option("--nccl-memory", arguments.nccl_memory,
                     "Memory that each communicator of NCCL takes of its device [0]");
}

}  // namespace strata::cli
