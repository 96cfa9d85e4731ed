// SPDX-License-Identifier: Apache-2.0
// `strata fit`: the largest value of a setting that fits into a card, or the fewest ranks, by runs on dry
// ones.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/commands/fit_trials.hpp"
#include "host/cli/dry/trial_output.hpp"
#include "host/cli/dry_gpu.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/job/job.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/files/device_profile.hpp"
#include "host/config/loading/load.hpp"
#include "host/what_if/fit_text.hpp"

namespace strata::cli {
namespace {

class Fitting {
 public:
  explicit Fitting(FitTrials& trials) : trials_(trials), start_(trials.start()) {}

  what_if::DeviceFit fit(const std::string& device) {
    const config::DeviceProfile profile = trials_.set_device(device);
    what_if::DeviceFit result{.device = profile.key,
                              .card = profile.name,
                              .memory_bytes = profile.memory_bytes,
                              .is_fewest = !trials_.worlds().empty(),
                              .found = {},
                              .at_best = {},
                              .at_next = {},
                              .command = {}};
    std::map<std::int64_t, what_if::TrialReport> reports;
    const auto run = [&](std::int64_t value) {
      const what_if::TrialReport report = trials_.run(value);
      tell(profile, value, report);
      reports[value] = report;
      return what_if::Trial{value, report.fits, report.fits ? report.needed_bytes() : 0};
    };
    result.found = result.is_fewest
                       ? what_if::find_fewest(trials_.worlds(), run)
                       : what_if::find_largest(trials_.range(), profile.memory_bytes, start_, run);
    if (result.found.best) result.at_best = reports[result.found.best->value];
    if (result.found.next) result.at_next = reports[*result.found.next];
    result.command = trials_.command(result.found.best ? result.found.best->value : *result.found.next);
    // The next card's answer is near this one's.
    if (result.found.best) start_ = result.found.best->value;
    return result;
  }

 private:
  void tell(const config::DeviceProfile& profile, std::int64_t value,
            const what_if::TrialReport& report) const {
    say(fmt::format("{}: {}={} {}", profile.key, trials_.name(), value,
                    report.fits ? fmt::format("fits, with {:.2f} of {:.2f} GiB",
                                              static_cast<double>(report.needed_bytes()) / 0x1p30,
                                              static_cast<double>(profile.memory_bytes) / 0x1p30)
                                : std::string("does not fit")));
  }

  FitTrials& trials_;
  std::int64_t start_;
};

std::vector<std::string> devices_of(const FitArguments& arguments) {
  if (arguments.devices == std::vector<std::string>{"all"}) return config::device_keys();
  if (!arguments.devices.empty()) return arguments.devices;
  if (!arguments.is_program) {
    const config::DeviceConfig device = config::load_config(arguments.config, arguments.overrides).device;
    if (device.is_dry()) return {device.dry};
  }
  throw UsageError("fit: expected a card, such as --device a100-40gb; `strata devices` lists them");
}

int fit_or_explain(const FitArguments& arguments) {
  require_dry_gpu();
  const std::unique_ptr<FitTrials> trials = fit_trials(arguments);
  Fitting fitting(*trials);
  std::vector<what_if::DeviceFit> fits;
  try {
    for (const std::string& device : devices_of(arguments)) fits.push_back(fitting.fit(device));
  } catch (const TrialInterrupted& interrupted) {
    say("interrupted");
    return interrupted.exit_code();
  }
  const bool is_one = fits.size() == 1;
  if (arguments.json) {
    nlohmann::ordered_json json{{"schema", "strata.fits/1"}, {"key", trials->name()}};
    for (const what_if::DeviceFit& each : fits)
      json["devices"].push_back(what_if::fit_json(trials->name(), each));
    print((is_one ? what_if::fit_json(trials->name(), fits.front()) : json).dump(2) + '\n');
  } else {
    print(is_one ? what_if::fit_text(trials->name(), fits.front())
                 : what_if::fit_table(trials->name(), fits));
  }
  return kDone;
}

}  // namespace

void add_fit_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<FitArguments>();
  CLI::App* const command =
      app.add_subcommand("fit", "Find the largest batch, context or other integer that fits on a card");
  command->add_option("CONFIG", arguments->config, "The run's YAML file; or -- and your own program")
      ->required();
  command->add_option("OVERRIDE", arguments->overrides,
                      "key.path=value, with a YAML value; overrides the file");
  command->add_flag(kProgramFlag, arguments->is_program)->group("");
  command
      ->add_option("--device,--devices", arguments->devices,
                   "Cards, comma-separated, or all [the YAML's dry device]; see `strata devices`")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option(
      "--over", arguments->over,
      "Key to find the largest value of [data.batch_size]; for a program, the range LOWEST..HIGHEST");
  command->add_option("--device-memory", arguments->memory,
                      "Memory that trials may use on each card, such as 22GiB [the YAML's; else the card's]");
  command->add_option("--from", arguments->range.lowest, "Lowest value to try [1]")
      ->check(CLI::PositiveNumber);
  command->add_option("--at-most", arguments->range.highest, "Highest value to try [1000000]")
      ->check(CLI::PositiveNumber);
  command->add_option("--step", arguments->range.stride, "Try only multiples of this [1]")
      ->check(CLI::PositiveNumber);
  command->add_option("--world", arguments->world,
                      "The program is one rank of a job of N ranks; the others are absent. LOWEST..HIGHEST: "
                      "find the fewest ranks that fit, by doubling LOWEST, or multiples of --step");
  command->add_option("--rank,--ranks", arguments->ranks, kRanksHelp);
  command->add_option("--steps,--trial-steps", arguments->steps, "Steps of each trial [3; 2 for a program]")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", arguments->json, "Print JSON: `largest`, or `fewest`, and all trials");
  command->footer(
      "Each value is tried with a run of a few steps on a dry GPU, in its own process; no GPU is needed or "
      "used.\n"
      "The answer itself was run, and the next value was run, too, and ran out of memory.\n\n"
      "In a program's arguments, {} is replaced by each value. A Python program is ended after --steps steps "
      "of\n"
      "each of its optimizers; any other program runs to its end. With --world N it is one rank of a job of "
      "N\n"
      "ranks; with --world 8..1024, {} may be left out, or is the number of ranks.\n\n"
      "Exit codes: 0 answered, also if nothing fits; 1 a trial failed; 2 bad usage or configuration.\n\n"
      "Examples:\n"
      "  strata fit configs/first_run.yaml --device rtx-4090\n"
      "  strata fit llama.yaml --device a100-40gb --over model.context --step 128\n"
      "  strata fit llama.yaml --devices all\n"
      "  strata fit --device rtx-4090 --over 1..512 -- python train.py --batch-size {}\n"
      "  strata fit --device h100-80gb --world 512 -- torchrun --nproc-per-node 8 train.py --local-batch {}\n"
      "  strata fit --device h100-80gb --world 8..1024 -- torchrun --nproc-per-node 8 train.py\n"
      "  strata fit llama.yaml precision=bf16 --device h100-80gb --json | jq .largest");
  command->callback([arguments, &exit_code] { exit_code = fit_or_explain(*arguments); });
}

}  // namespace strata::cli
