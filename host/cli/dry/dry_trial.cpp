// SPDX-License-Identifier: Apache-2.0
#include "host/cli/dry/dry_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "host/analysis/analyse.hpp"
#include "host/cli/dry/dry_argument.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/cli/training/rank_processes.hpp"
#include "host/cli/training/training_process.hpp"
#include "host/config/files/device_profile.hpp"
#include "host/config/loading/load.hpp"
#include "host/config/schema/compute_device.hpp"
#include "host/report/shell_word.hpp"

namespace strata::cli {
namespace {

constexpr const char* kAllocatorVariable = "PYTORCH_CUDA_ALLOC_CONF";

config::RunConfig load(const TrialRequest& request) {
  std::vector<std::string> overrides = request.overrides;
  std::ranges::move(trial_overrides(request), std::back_inserter(overrides));
  return config::load_config(request.config, overrides);
}

}  // namespace

config::DeviceConfig trial_device(const config::DeviceConfig& own, const std::string& name,
                                  const std::string& memory, const std::string& command) {
  config::load_device_profile(name);  // has the best message for an invalid name
  DryArguments dry;
  dry.profile = name;
  dry.memory = memory;
  const config::DeviceConfig named =
      config::parse_device(dry.device(command), std::filesystem::current_path());
  if (!own.is_dry()) return named;
  config::DeviceConfig device = own;
  device.dry = named.dry;
  device.count = 1;
  if (named.settings.memory_bytes > 0) device.settings.memory_bytes = named.settings.memory_bytes;
  return device;
}

std::vector<std::string> trial_overrides(const TrialRequest& request) {
  std::vector<std::string> overrides = {
      fmt::format("device={}", request.device),
      fmt::format("schedule={{wait: 0, warmup: 0, active: {}}}", request.steps),
      "plugins=[allocator_tracer]"};
  if (request.saves) overrides.emplace_back("save={}");
  if (request.first_rank_alone) overrides.emplace_back("ddp.ranks=first");
  return overrides;
}

std::string trial_command(const TrialRequest& request) {
  std::string command;
  if (!request.allocator_settings.empty())
    command = fmt::format("{}={} ", kAllocatorVariable, report::shell_word(request.allocator_settings));
  command += "strata run " + report::shell_word(request.config.string());
  std::vector<std::string> overrides = request.overrides;
  std::ranges::move(trial_overrides(request), std::back_inserter(overrides));
  for (auto each = overrides.begin(); each != overrides.end(); ++each) {
    const std::string key = each->substr(0, each->find('=') + 1);
    const bool is_overruled = std::any_of(each + 1, overrides.end(),
                                          [&](const std::string& later) { return later.starts_with(key); });
    if (!is_overruled) command += " " + report::shell_word(*each);
  }
  return command;
}

what_if::TrialReport run_trial(const TrialRequest& request) {
  const config::RunConfig config = load(request);
  const ScratchFolder scratch("strata-trial");
  const std::filesystem::path run = scratch.path() / "run", said = scratch.path() / "said.txt";
  std::filesystem::create_directory(run);
  const int exit_code = run_rank_processes(1, [&](const trainer::RankPlace&) {
    redirect_output(said);
    if (!request.allocator_settings.empty())
      setenv(kAllocatorVariable, request.allocator_settings.c_str(), 1);
    TrainingProcess process(config, {.world_size = static_cast<std::uint32_t>(config.world_size)});
    return process.record(run, [] {});
  });
  throw_if_interrupted(exit_code);
  if (exit_code != kDone && exit_code != kOutOfMemory) {
    throw std::runtime_error(fmt::format(
        "{}\n  in the trial: {}",
        exit_code > kSignalBase ? fmt::format("the trial was killed by signal {}", exit_code - kSignalBase)
                                : last_lines(said, 1),
        trial_command(request)));
  }
  return trial_report(analysis::analyse(run), exit_code == kDone);
}

}  // namespace strata::cli
