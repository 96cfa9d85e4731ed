// SPDX-License-Identifier: Apache-2.0
#include "host/cli/commands/advise_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/cli/arguments.hpp"
#include "host/cli/dry/dry_argument.hpp"
#include "host/cli/dry/dry_trial.hpp"
#include "host/cli/dry/side_by_side.hpp"
#include "host/cli/dry_gpu.hpp"
#include "host/cli/exec/program_trial.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/loading/load.hpp"
#include "host/config/reading/value.hpp"
#include "host/config/schema/compute_device.hpp"
#include "host/config/schema/resolved.hpp"
#include "host/what_if/switches.hpp"

namespace strata::cli {
namespace {

using what_if::Change;
using what_if::Measurement;
using what_if::Selection;

// The device's memory while needs are measured: nothing that is worth advice fills it.
constexpr std::int64_t kRoomyBytes = std::int64_t{512} << 30;

Measurement measurement_of(const what_if::TrialReport& report) {
  if (!report.fits) return {.problem = fmt::format("needs more than {}", config::format_bytes(kRoomyBytes))};
  return {.problem = {},
          .allocated_bytes = report.allocated_bytes,
          .reserved_bytes = report.reserved_bytes,
          .needed_bytes = report.needed_bytes(),
          .step_ns = report.step_ns};
}

std::string to_text(const Measurement& measured) {
  nlohmann::json json{{"problem", measured.problem},
                      {"allocated_bytes", measured.allocated_bytes},
                      {"reserved_bytes", measured.reserved_bytes},
                      {"needed_bytes", measured.needed_bytes}};
  if (measured.step_ns) json["step_ns"] = *measured.step_ns;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Measurement from_text(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  Measurement measured{.problem = json.at("problem"),
                       .allocated_bytes = json.at("allocated_bytes"),
                       .reserved_bytes = json.at("reserved_bytes"),
                       .needed_bytes = json.at("needed_bytes")};
  if (json.contains("step_ns")) measured.step_ns = json.at("step_ns").get<double>();
  return measured;
}

// The common part: the card, parallel trials, and their messages.
class AdviseOnDry : public AdviseTrials {
 public:
  const config::DeviceProfile& card() const override { return card_; }
  const std::vector<Change>& changes() const override { return changes_; }

  std::vector<Measurement> measure(const std::vector<Selection>& selections) override {
    const std::size_t count = selections.size();
    std::vector<Measurement> measured;
    for (const std::string& each : run_side_by_side(count, at_once_, [&](std::size_t index) {
           return to_text(measure_or_refuse(selections[index]));
         }))
      measured.push_back(from_text(each));
    return measured;
  }

 protected:
  AdviseOnDry(const AdviseArguments& arguments, config::DeviceConfig device)
      : arguments_(arguments), device_(std::move(device)), card_(dry_choice(device_).profile) {
    // Peak rates for every format are known of few cards.
    device_.settings.models_time = card_.memory_gb_per_s > 0 && card_.fp32_tflops > 0;
  }

  virtual Measurement run_on_roomy_card(const Selection& selection) = 0;

  // On a card of that memory; 0: its own.
  std::string device_with(std::int64_t memory_bytes) const {
    config::DeviceConfig device = device_;
    device.settings.memory_bytes = memory_bytes;
    return config::device_yaml(device);
  }
  std::string device_itself() const { return device_with(device_.settings.memory_bytes); }

  std::string allocator_settings_of(const Selection& selection) const {
    for (const std::size_t index : selection)
      if (!changes_[index].allocator_settings.empty()) return changes_[index].allocator_settings;
    return {};
  }

  void say_measured(const Selection& selection, const Measurement& measured) const {
    std::string name = selection.empty() ? "as it is" : "";
    for (const std::size_t index : selection) name += (name.empty() ? "" : " + ") + changes_[index].name;
    say(measured.is_there()
            ? fmt::format("{}: {:.2f} GiB", name, static_cast<double>(measured.needed_bytes) / 0x1p30)
            : fmt::format("{}: not taken ({})", name,
                          measured.problem.substr(0, measured.problem.find('\n'))));
  }

  void set_at_once(std::uint64_t bytes_of_each) {
    at_once_ = arguments_.jobs.value_or(trials_at_once(bytes_of_each));
  }

  const AdviseArguments& arguments_;
  std::vector<Change> changes_;

 private:
  Measurement measure_or_refuse(const Selection& selection) {
    speak_as({});
    Measurement measured;
    try {
      measured = run_on_roomy_card(selection);
    } catch (const TrialInterrupted&) {
      throw;
    } catch (const std::exception& error) {
      // A change that the training or torch rejects in combination with the others is not advice.
      if (selection.empty()) throw;
      measured.problem = error.what();
    }
    say_measured(selection, measured);
    return measured;
  }

  config::DeviceConfig device_;
  config::DeviceProfile card_;
  std::size_t at_once_ = 1;
};

class AdviseConfig final : public AdviseOnDry {
 public:
  AdviseConfig(const AdviseArguments& arguments, const config::RunConfig& config, config::DeviceConfig device)
      : AdviseOnDry(arguments, std::move(device)) {
    changes_ = what_if::switches_of(config);
    request_.config = arguments.config;
    request_.steps = arguments.steps;
    request_.first_rank_alone = config.world_size > 1;
    request_.saves = config.save.saves();
    constexpr std::uint64_t kTrialBytes = std::uint64_t{2} << 30;
    set_at_once(kTrialBytes);
  }

  bool fits(const Selection& selection) override {
    set(selection, device_itself());
    return run_trial(request_).fits;
  }

  std::string command(const Selection& selection, what_if::On on) override {
    set(selection, on == what_if::On::kCard ? device_itself() : device_with(kRoomyBytes));
    return trial_command(request_);
  }

 private:
  Measurement run_on_roomy_card(const Selection& selection) override {
    set(selection, device_with(kRoomyBytes));
    return measurement_of(run_trial(request_));
  }

  void set(const Selection& selection, std::string device) {
    request_.device = std::move(device);
    request_.overrides = arguments_.overrides;
    for (const std::size_t index : selection)
      std::ranges::copy(changes_[index].overrides, std::back_inserter(request_.overrides));
    request_.allocator_settings = allocator_settings_of(selection);
  }

  TrialRequest request_;
};

// Allocator settings that help against fragmentation; they do not change the program.
const std::vector<Change> kAllocatorChanges = {
    {.name = "expandable segments",
     .allocator_settings = "expandable_segments:True",
     .write = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True in the environment",
     .cost = "none known",
     .group = "allocator"},
    {.name = "segments split below 128 MiB",
     .allocator_settings = "max_split_size_mb:128",
     .write = "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128 in the environment",
     .cost = "more segments",
     .group = "allocator"}};

class AdviseProgram final : public AdviseOnDry {
 public:
  AdviseProgram(const AdviseArguments& arguments, config::DeviceConfig device)
      : AdviseOnDry(arguments, std::move(device)) {
    request_.command.push_back(arguments.config);
    std::ranges::copy(arguments.overrides, std::back_inserter(request_.command));
    request_.steps = arguments.steps;
    request_.takes_notes = true;
  }

  std::vector<Measurement> measure(const std::vector<Selection>& selections) override {
    if (request_.facts.empty()) return {measure_as_it_is()};
    return AdviseOnDry::measure(selections);
  }

  bool fits(const Selection& selection) override {
    set(selection, device_itself());
    ProgramTrialRequest on_card = request_;
    on_card.server = nullptr;  // its card is the one with unlimited memory
    return run_program_trial(on_card).report.fits;
  }

  std::string command(const Selection& selection, what_if::On on) override {
    if (!selection.empty()) return {};
    set(selection, on == what_if::On::kCard ? device_itself() : device_with(kRoomyBytes));
    return program_trial_command(request_);
  }

 private:
  Measurement measure_as_it_is() {
    set({}, device_with(kRoomyBytes));
    server_ = start_trial_server(request_, scratch_.path());
    request_.server = server_.get();
    // In a process of its own, as the others are.
    const nlohmann::json trial =
        nlohmann::json::parse(run_side_by_side(1, 1, [&](std::size_t) {
                                const ProgramTrial run = run_program_trial(request_);
                                return nlohmann::json{{"measured", to_text(measurement_of(run.report))},
                                                      {"notes", run.notes},
                                                      {"host_bytes", run.host_bytes}}
                                    .dump();
                              }).front());
    set_at_once(trial.at("host_bytes"));
    const std::string notes = trial.at("notes");
    if (notes.empty())
      throw UsageError(
          "advise: only Python programs that use torch can be changed, and only when started without -E and "
          "-I; for any other program, `strata fit -- COMMAND {}` searches for the largest value that fits");
    request_.facts = scratch_.path() / "facts.json";
    write_whole_file(request_.facts, notes);
    const nlohmann::json taken = nlohmann::json::parse(notes);
    for (const nlohmann::json& each : taken.at("changes")) changes_.push_back(change_of(each));
    std::ranges::copy(kAllocatorChanges, std::back_inserter(changes_));
    Measurement measured = from_text(trial.at("measured"));
    say_measured({}, measured);
    return measured;
  }

  static Change change_of(const nlohmann::json& note) {
    return {.name = note.at("name"),
            .write = note.at("write"),
            .cost = note.at("cost"),
            .effect = note.at("same_training").get<bool>() ? what_if::Effect::kSameMathematics
                                                           : what_if::Effect::kOtherMathematics,
            .group = note.at("group"),
            .problem = note.at("problem").is_null() ? std::string() : note.at("problem").get<std::string>()};
  }

  Measurement run_on_roomy_card(const Selection& selection) override {
    set(selection, device_with(kRoomyBytes));
    return measurement_of(run_program_trial(request_).report);
  }

  void set(const Selection& selection, std::string device) {
    request_.device = std::move(device);
    request_.changes.clear();
    for (const std::size_t index : selection)
      if (changes_[index].allocator_settings.empty()) request_.changes.push_back(changes_[index].name);
    request_.allocator_settings = allocator_settings_of(selection);
  }

  ScratchFolder scratch_{"strata-advise"};
  std::unique_ptr<TrialServer> server_;
  ProgramTrialRequest request_;
};

}  // namespace

std::unique_ptr<AdviseTrials> advise_trials(const AdviseArguments& arguments) {
  const auto refuse_without_card = [] {
    throw UsageError("advise: expected a card, such as --device rtx-4090; `strata devices` lists them");
  };
  if (arguments.is_program) {
    DryArguments dry;
    dry.profile = arguments.device;
    dry.memory = arguments.memory;
    const std::string device = arguments.dry.empty() ? dry.device("advise") : arguments.dry;
    if (device.empty()) refuse_without_card();
    return std::make_unique<AdviseProgram>(arguments,
                                           config::parse_device(device, std::filesystem::current_path()));
  }
  require_configuration("advise", arguments.config);
  const config::RunConfig config = config::load_config(arguments.config, arguments.overrides);
  const std::string& device = arguments.device.empty() ? config.device.dry : arguments.device;
  if (device.empty()) refuse_without_card();
  return std::make_unique<AdviseConfig>(arguments, config,
                                        trial_device(config.device, device, arguments.memory, "advise"));
}

}  // namespace strata::cli
