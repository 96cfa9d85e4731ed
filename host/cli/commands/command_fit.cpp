// SPDX-License-Identifier: Apache-2.0
// `strata fit`: the largest value of a setting that fits into a card, by runs on dry ones.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
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
#include "host/config/nearest.hpp"
#include "host/config/schema/schema.hpp"
#include "host/fit/fit_text.hpp"
#include "host/fit/largest.hpp"

namespace strata::cli {
namespace {

struct FitArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::vector<std::string> devices;
  std::string key = "data.batch_size";
  fit::Range range{.lowest = 1, .highest = 1'000'000, .stride = 1};
  std::int64_t steps = 3;
  bool json = false;
};

const config::IntegerType& integer_key(const std::string& path) {
  const config::Key* const key = config::find_key(path);
  if (key != nullptr) {
    if (const auto* const type = std::get_if<config::IntegerType>(&key->type)) return *type;
    throw UsageError(
        fmt::format("fit: --over {}: this key is no integer, of which there is a largest", path));
  }
  std::vector<std::string_view> known;
  for (const config::Key& each : config::keys()) known.push_back(each.path);
  throw UsageError(
      fmt::format("fit: --over {}: there is no such key{}; `strata run --help-config` lists them", path,
                  config::did_you_mean(path, known)));
}

class Fitting {
 public:
  explicit Fitting(const FitArguments& arguments)
      : arguments_(arguments),
        key_(integer_key(arguments.key)),
        range_{.lowest = std::max(arguments.range.lowest, key_.minimum),
               .highest = std::min(arguments.range.highest, key_.maximum),
               .stride = arguments.range.stride} {
    const config::RunConfig config = config::load_config(arguments.config, arguments.overrides);
    start_ = key_.get(config);
    request_.config = arguments.config;
    request_.steps = arguments.steps;
    request_.first_rank_alone = config.world_size > 1;
    request_.saves = config.save.saves();
  }

  fit::DeviceFit fit(const std::string& device) {
    const config::DeviceProfile profile = config::load_device_profile(device);
    fit::DeviceFit result{.device = profile.key,
                          .card = profile.name,
                          .memory_bytes = profile.memory_bytes,
                          .found = {},
                          .at_largest = {},
                          .at_next = {},
                          .command = {}};
    request_.device = fmt::format("{{dry: {}}}", nlohmann::json(device).dump());
    std::map<std::int64_t, fit::TrialReport> reports;
    result.found = fit::find_largest(range_, profile.memory_bytes, start_, [&](std::int64_t value) {
      const fit::TrialReport report = run(value);
      tell(profile, value, report);
      reports[value] = report;
      return fit::Trial{value, report.fits, report.fits ? report.needed_bytes() : 0};
    });
    if (result.found.largest) result.at_largest = reports[result.found.largest->value];
    if (result.found.next) result.at_next = reports[*result.found.next];
    set(result.found.largest ? result.found.largest->value : *result.found.next);
    result.command = trial_command(request_);
    // The next card's answer is near this one's.
    if (result.found.largest) start_ = result.found.largest->value;
    return result;
  }

 private:
  void set(std::int64_t value) {
    request_.overrides = arguments_.overrides;
    request_.overrides.push_back(fmt::format("{}={}", arguments_.key, value));
  }

  fit::TrialReport run(std::int64_t value) {
    set(value);
    try {
      return run_trial(request_);
    } catch (const config::ConfigError& error) {
      throw UsageError(fmt::format(
          "fit: {}={} is refused: {}\n  --step N tries multiples of N alone, --from and --at-most bound them",
          arguments_.key, value, error.what()));
    }
  }

  void tell(const config::DeviceProfile& profile, std::int64_t value, const fit::TrialReport& report) const {
    say(fmt::format("{}: {}={} {}", profile.key, arguments_.key, value,
                    report.fits ? fmt::format("fits, with {:.2f} of {:.2f} GiB",
                                              static_cast<double>(report.needed_bytes()) / 0x1p30,
                                              static_cast<double>(profile.memory_bytes) / 0x1p30)
                                : std::string("does not fit")));
  }

  const FitArguments& arguments_;
  const config::IntegerType& key_;
  fit::Range range_;
  std::int64_t start_ = 1;
  TrialRequest request_;
};

std::vector<std::string> devices_of(const FitArguments& arguments) {
  if (arguments.devices == std::vector<std::string>{"all"}) return config::device_keys();
  if (!arguments.devices.empty()) return arguments.devices;
  const config::DeviceConfig device = config::load_config(arguments.config, arguments.overrides).device;
  if (device.is_dry()) return {device.dry};
  throw UsageError("fit: expected a card, such as --device a100-40gb; `strata devices` lists them");
}

int fit_or_explain(const FitArguments& arguments) {
  require_configuration("fit", arguments.config);
  require_dry_gpu();
  Fitting fitting(arguments);
  std::vector<fit::DeviceFit> fits;
  try {
    for (const std::string& device : devices_of(arguments)) fits.push_back(fitting.fit(device));
  } catch (const TrialInterrupted& interrupted) {
    say("interrupted");
    return interrupted.exit_code();
  }
  const bool is_one = fits.size() == 1;
  if (arguments.json) {
    nlohmann::ordered_json json{{"schema", "strata.fits/1"}, {"key", arguments.key}};
    for (const fit::DeviceFit& each : fits) json["devices"].push_back(fit::fit_json(arguments.key, each));
    print((is_one ? fit::fit_json(arguments.key, fits.front()) : json).dump(2) + '\n');
  } else {
    print(is_one ? fit::fit_text(arguments.key, fits.front()) : fit::fit_table(arguments.key, fits));
  }
  return kDone;
}

}  // namespace

void add_fit_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<FitArguments>();
  CLI::App* const command =
      app.add_subcommand("fit", "The largest batch, context or other integer that fits into a card");
  command->add_option("CONFIG", arguments->config, "The run's YAML")->required();
  command->add_option("OVERRIDE", arguments->overrides,
                      "key.path=value, whose value is YAML; wins over the file");
  command
      ->add_option("--device,--devices", arguments->devices,
                   "Cards, comma-separated, or all [the YAML's dry device]; see `strata devices`")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--over", arguments->key, "Key whose largest value is asked for [data.batch_size]");
  command->add_option("--from", arguments->range.lowest, "Try nothing below [1]")->check(CLI::PositiveNumber);
  command->add_option("--at-most", arguments->range.highest, "Try nothing above [1000000]")
      ->check(CLI::PositiveNumber);
  command->add_option("--step", arguments->range.stride, "Try multiples of this alone [1]")
      ->check(CLI::PositiveNumber);
  command->add_option("--trial-steps", arguments->steps, "Steps of each trial [3]")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", arguments->json, "Print JSON: `largest`, and how it was found");
  command->footer(
      "Each value is tried by a run of some steps on a dry GPU, in a process of its own: none is needed, "
      "and\n"
      "none is used. The answer was run, and so was the value behind it, which ran out of memory.\n\n"
      "Exit codes: 0 answered, also when nothing fits; 1 a trial failed; 2 bad usage or configuration.\n\n"
      "Examples:\n"
      "  strata fit configs/quickstart.yaml --device rtx-4090\n"
      "  strata fit llama.yaml --device a100-40gb --over model.context --step 128\n"
      "  strata fit llama.yaml --devices all\n"
      "  strata fit llama.yaml precision=bf16 --device h100-80gb --json | jq .largest");
  command->callback([arguments, &exit_code] { exit_code = fit_or_explain(*arguments); });
}

}  // namespace strata::cli
