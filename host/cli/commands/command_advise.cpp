// SPDX-License-Identifier: Apache-2.0
// `strata advise`: what would make a training need less memory, each change tried on a dry card.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/configuration_argument.hpp"
#include "host/cli/dry/dry_gpu.hpp"
#include "host/cli/dry/dry_trial.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/files/device_profile.hpp"
#include "host/config/load.hpp"
#include "host/config/reading/value.hpp"
#include "host/config/resolved.hpp"
#include "host/fit/advice_text.hpp"

namespace strata::cli {
namespace {

struct AdviseArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string device, memory;
  std::int64_t steps = 2;
  bool json = false;
};

// The device's memory while needs are measured: nothing that is worth advice fills it.
constexpr std::int64_t kRoomyBytes = std::int64_t{512} << 30;

class DryTrials final : public fit::Trials {
 public:
  DryTrials(const AdviseArguments& arguments, const config::RunConfig& config, config::DeviceConfig device,
            const config::DeviceProfile& profile, const std::vector<fit::Switch>& switches)
      : arguments_(arguments), switches_(switches), device_(std::move(device)) {
    request_.config = arguments.config;
    request_.steps = arguments.steps;
    request_.first_rank_alone = config.world_size > 1;
    request_.saves = config.save.saves();
    // Peak rates for every format are known of few cards.
    device_.settings.models_time = profile.memory_gb_per_s > 0 && profile.fp32_tflops > 0;
  }

  fit::Measurement measure(const std::vector<std::size_t>& switches) override {
    set(switches, kRoomyBytes);
    fit::Measurement measured;
    try {
      const fit::TrialReport report = run_trial(request_);
      if (!report.fits) {
        measured.problem = fmt::format("needs more than {}", config::format_bytes(kRoomyBytes));
      } else {
        measured = {.problem = {},
                    .allocated_bytes = report.allocated_bytes,
                    .reserved_bytes = report.reserved_bytes,
                    .needed_bytes = report.needed_bytes(),
                    .step_ns = report.step_ns};
      }
    } catch (const TrialInterrupted&) {
      throw;
    } catch (const std::exception& error) {
      // A change that the configuration, or torch, does not take beside the others is no advice.
      if (switches.empty()) throw;
      measured.problem = error.what();
    }
    tell(switches, measured);
    return measured;
  }

  bool fits(const std::vector<std::size_t>& switches) override {
    set(switches, device_.settings.memory_bytes);
    return run_trial(request_).fits;
  }

  std::string command(const std::vector<std::size_t>& switches, fit::On on) {
    set(switches, on == fit::On::kCard ? device_.settings.memory_bytes : kRoomyBytes);
    return trial_command(request_);
  }

 private:
  // `memory_bytes` 0: the card's.
  void set(const std::vector<std::size_t>& switches, std::int64_t memory_bytes) {
    config::DeviceConfig device = device_;
    device.settings.memory_bytes = memory_bytes;
    request_.device = config::device_yaml(device);
    request_.overrides = arguments_.overrides;
    request_.allocator_settings.clear();
    for (const std::size_t index : switches) {
      const fit::Switch& change = switches_[index];
      request_.overrides.insert(request_.overrides.end(), change.overrides.begin(), change.overrides.end());
      if (!change.allocator_settings.empty()) request_.allocator_settings = change.allocator_settings;
    }
  }

  void tell(const std::vector<std::size_t>& switches, const fit::Measurement& measured) const {
    std::string name = switches.empty() ? "as it is" : "";
    for (const std::size_t index : switches) name += (name.empty() ? "" : " + ") + switches_[index].name;
    say(measured.is_there()
            ? fmt::format("{}: {:.2f} GiB", name, static_cast<double>(measured.needed_bytes) / 0x1p30)
            : fmt::format("{}: not taken ({})", name,
                          measured.problem.substr(0, measured.problem.find('\n'))));
  }

  const AdviseArguments& arguments_;
  const std::vector<fit::Switch>& switches_;
  config::DeviceConfig device_;
  TrialRequest request_;
};

int advise(const AdviseArguments& arguments) {
  require_configuration("advise", arguments.config);
  require_dry_gpu();
  const config::RunConfig config = config::load_config(arguments.config, arguments.overrides);
  AdviseArguments on = arguments;
  if (on.device.empty()) on.device = config.device.dry;
  if (on.device.empty())
    throw UsageError("advise: expected a card, such as --device rtx-4090; `strata devices` lists them");
  const config::DeviceConfig device = trial_device(config.device, on.device, on.memory, "advise");
  const config::DeviceProfile profile = dry_choice(device).profile;
  const std::vector<fit::Switch> switches = fit::switches_of(config);
  DryTrials trials(on, config, device, profile, switches);
  try {
    const fit::Advice advice = fit::advise(switches, profile.memory_bytes, trials);
    const fit::AdvisedDevice advised{profile.key, profile.name, profile.memory_bytes};
    const auto command = [&](const std::vector<std::size_t>& changes, fit::On on) {
      return trials.command(changes, on);
    };
    print(arguments.json ? fit::advice_json(switches, advised, advice, command).dump(2) + '\n'
                         : fit::advice_text(switches, advised, advice, command));
    return kDone;
  } catch (const TrialInterrupted& interrupted) {
    say("interrupted");
    return interrupted.exit_code();
  }
}

}  // namespace

void add_advise_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<AdviseArguments>();
  CLI::App* const command =
      app.add_subcommand("advise", "What would make a training need less memory, each change tried");
  command->add_option("CONFIG", arguments->config, "The run's YAML")->required();
  command->add_option("OVERRIDE", arguments->overrides,
                      "key.path=value, whose value is YAML; wins over the file");
  command->add_option("--device", arguments->device, "Card [the YAML's dry device]; see `strata devices`");
  command->add_option("--device-memory", arguments->memory,
                      "Memory of the card that trials may take, as 22GiB [the YAML's; else the card's]");
  command->add_option("--trial-steps", arguments->steps, "Steps of each trial [2]")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", arguments->json, "Print JSON, with the command that repeats each number");
  command->footer(
      "Every number is a run of some steps on a dry GPU. First changes that leave the mathematics alone, "
      "alone\n"
      "and together: the optimizer's form, checkpointing, smaller micro-batches, attention, casts, the\n"
      "allocator's settings; then those that do not: number formats, 8-bit state, GaLore.\n\n"
      "Exit codes: 0 advised; 1 the configuration's own run failed; 2 bad usage or configuration.\n\n"
      "Examples:\n"
      "  strata advise llama.yaml --device rtx-4090\n"
      "  strata advise llama.yaml data.batch_size=16 --device a100-40gb --json | jq .least.command");
  command->callback([arguments, &exit_code] { exit_code = advise(*arguments); });
}

}  // namespace strata::cli
