// SPDX-License-Identifier: Apache-2.0
#include "host/cli/commands/fit_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <variant>

#include "host/cli/arguments.hpp"
#include "host/cli/dry/dry_argument.hpp"
#include "host/cli/dry/dry_trial.hpp"
#include "host/cli/dry_gpu.hpp"
#include "host/cli/exec/program_trial.hpp"
#include "host/cli/job/job.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/loading/load.hpp"
#include "host/config/nearest.hpp"
#include "host/config/schema/compute_device.hpp"
#include "host/config/schema/resolved.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::cli {
namespace {

constexpr const char* kBraces = "{}";

const config::IntegerType& integer_key(const std::string& path) {
  const config::Key* const key = config::find_key(path);
  if (key != nullptr) {
    if (const auto* const type = std::get_if<config::IntegerType>(&key->type)) return *type;
    throw UsageError(fmt::format("fit: --over {}: expected a key with an integer value", path));
  }
  std::vector<std::string_view> known;
  for (const config::Key& each : config::keys()) known.push_back(each.path);
  throw UsageError(fmt::format("fit: --over {}: unknown key{}; `strata run --help-config` lists all keys",
                               path, config::did_you_mean(path, known)));
}

class FitConfig final : public FitTrials {
 public:
  explicit FitConfig(const FitArguments& arguments)
      : arguments_(arguments),
        name_(arguments.over.empty() ? "data.batch_size" : arguments.over),
        key_(integer_key(name_)) {
    const config::RunConfig config = config::load_config(arguments.config, arguments.overrides);
    start_ = key_.get(config);
    own_device_ = config.device;
    request_.config = arguments.config;
    request_.steps = arguments.steps.value_or(3);
    request_.first_rank_alone = config.world_size > 1;
    request_.saves = config.save.saves();
  }

  const std::string& name() const override { return name_; }
  what_if::Range range() const override {
    return {.lowest = std::max(arguments_.range.lowest, key_.minimum),
            .highest = std::min(arguments_.range.highest, key_.maximum),
            .stride = arguments_.range.stride};
  }
  std::int64_t start() const override { return start_; }

  config::DeviceProfile set_device(const std::string& device) override {
    const config::DeviceConfig trials = trial_device(own_device_, device, arguments_.memory, "fit");
    request_.device = config::device_yaml(trials);
    return dry_choice(trials).profile;
  }

  what_if::TrialReport run(std::int64_t value) override {
    set(value);
    try {
      return run_trial(request_);
    } catch (const config::ConfigError& error) {
      throw UsageError(fmt::format(
          "fit: {}={} is refused: {}\n"
          "  --step N tries only multiples of N; --from and --at-most set the lowest and highest value",
          name_, value, error.what()));
    }
  }

  std::string command(std::int64_t value) override {
    set(value);
    return trial_command(request_);
  }

 private:
  void set(std::int64_t value) {
    request_.overrides = arguments_.overrides;
    request_.overrides.push_back(fmt::format("{}={}", name_, value));
  }

  const FitArguments& arguments_;
  std::string name_;
  const config::IntegerType& key_;
  std::int64_t start_ = 1;
  config::DeviceConfig own_device_;
  TrialRequest request_;
};

// "512", or "1..512", of an option.
what_if::Range read_range(const std::string& option, const std::string& text, std::int64_t highest,
                          std::int64_t stride) {
  const auto dots = text.find("..");
  const auto read = [&](std::string_view part) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(part.begin(), part.end(), value);
    if (error != std::errc() || end != part.end() || value < 1 || value > highest)
      throw UsageError(fmt::format("fit: {} {}: expected the values to try, such as 1..512", option, text));
    return value;
  };
  what_if::Range range{.stride = stride};
  range.lowest = read(std::string_view(text).substr(0, dots));
  range.highest = dots == text.npos ? range.lowest : read(std::string_view(text).substr(dots + 2));
  if (range.highest < range.lowest)
    throw UsageError(fmt::format("fit: {} {}: expected the values to try, such as 1..512, the lowest first",
                                 option, text));
  return range;
}

class FitProgram final : public FitTrials {
 public:
  explicit FitProgram(const FitArguments& arguments) : range_(arguments.range) {
    cards_.memory = arguments.memory;
    words_.push_back(arguments.config);
    words_.insert(words_.end(), arguments.overrides.begin(), arguments.overrides.end());
    request_.steps = arguments.steps.value_or(2);
    set_job(arguments);
    const auto word =
        std::ranges::find_if(words_, [](const std::string& each) { return each.find(kBraces) != each.npos; });
    if (!worlds_.empty()) return;  // {} is the number of ranks, and need not be there
    if (word == words_.end())
      throw UsageError(
          "fit: expected {} in the program's arguments, to be replaced by each value: strata fit --device "
          "rtx-4090 -- python train.py --batch-size {}");
    // The text before the braces names the value: "--batch-size {}", "batch={}".
    name_ = word->substr(0, word->find(kBraces));
    if (name_.empty() && word != words_.begin() && (word - 1)->starts_with('-')) name_ = *(word - 1);
    name_ = name_.substr(std::min(name_.find_first_not_of('-'), name_.size()));
    name_ = name_.substr(0, name_.find_last_not_of("=:") + 1);
    if (name_.empty()) name_ = "value";
    if (!arguments.over.empty())
      range_ = read_range("--over", arguments.over, std::numeric_limits<std::int64_t>::max(), range_.stride);
  }

  const std::string& name() const override { return name_; }
  what_if::Range range() const override { return range_; }
  std::int64_t start() const override { return range_.lowest; }
  std::vector<std::int64_t> worlds() const override { return worlds_; }

  config::DeviceProfile set_device(const std::string& device) override {
    cards_.profile = device;
    request_.device = cards_.device("fit");
    return dry_choice(config::parse_device(request_.device, std::filesystem::current_path())).profile;
  }

  what_if::TrialReport run(std::int64_t value) override {
    set(value);
    return run_program_trial(request_).report;
  }

  std::string command(std::int64_t value) override {
    set(value);
    return program_trial_command(request_);
  }

 private:
  void set_job(const FitArguments& arguments) {
    if (arguments.world.empty()) {
      if (!arguments.ranks.empty())
        throw UsageError("fit: --rank chooses ranks of a job; add --world N, its number of ranks");
      return;
    }
    const what_if::Range range = read_range("--world", arguments.world, kMostInWorld, arguments.range.stride);
    request_.job = {.world_size = static_cast<std::uint32_t>(range.lowest), .ranks = arguments.ranks};
    ranks_of(request_.job);
    if (arguments.world.find("..") == arguments.world.npos) return;
    if (!arguments.over.empty())
      throw UsageError(fmt::format(
          "fit: --world {} finds the fewest ranks; remove --over, or give one number", arguments.world));
    name_ = "world";
    const std::int64_t stride = range.stride;
    const std::int64_t first = (range.lowest + stride - 1) / stride * stride;
    for (std::int64_t world = first; world <= range.highest; world += stride == 1 ? world : stride)
      worlds_.push_back(world);
    if (worlds_.empty())
      throw UsageError(
          fmt::format("fit: --world {}: no multiple of --step {} is in this range", arguments.world, stride));
  }

  void set(std::int64_t value) {
    if (!worlds_.empty()) request_.job.world_size = static_cast<std::uint32_t>(value);
    if (request_.job.world_size > 0) request_.device = devices_of_node(cards_, request_.job).device("fit");
    request_.command = words_;
    for (std::string& word : request_.command) {
      for (auto at = word.find(kBraces); at != std::string::npos; at = word.find(kBraces, at))
        word.replace(at, std::string_view(kBraces).size(), std::to_string(value));
    }
  }

  what_if::Range range_;
  DryArguments cards_;  // of the last `set_device`
  std::vector<std::int64_t> worlds_;
  std::vector<std::string> words_;
  std::string name_;
  ProgramTrialRequest request_;
};

}  // namespace

std::unique_ptr<FitTrials> fit_trials(const FitArguments& arguments) {
  if (arguments.is_program) return std::make_unique<FitProgram>(arguments);
  require_configuration("fit", arguments.config);
  if (!arguments.world.empty() || !arguments.ranks.empty())
    throw UsageError("fit: --world and --rank are for a program of your own; a configuration has world_size");
  return std::make_unique<FitConfig>(arguments);
}

}  // namespace strata::cli
