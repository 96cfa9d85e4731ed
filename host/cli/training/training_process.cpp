// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/training_process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "host/cli/cuda_driver.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/training/interrupt.hpp"
#include "host/cli/training/progress.hpp"
#include "host/cli/training/session_options.hpp"
#include "host/cli/training/trainer_library.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/adapter.hpp"
#include "host/config/model_sizes.hpp"
#include "strata/runtime/session.hpp"

namespace strata::cli {
namespace {

// A machine's ranks have a device each; a dry machine may have but one for all, which computes nothing.
config::DeviceConfig device_of(config::DeviceConfig device, const trainer::RankPlace& place) {
  if (place.world_size == 1 || device.kind == config::DeviceKind::kCpu) return device;
  device.index = device.is_dry() ? place.local_rank % device.count : place.local_rank;
  return device;
}

// Before LibTorch is opened: a dry device takes the place of CUDA's libraries; a real one has to be there.
std::optional<DryGpu> prepare_device(const config::DeviceConfig& device, bool tells) {
  if (device.is_dry()) {
    if (tells && has_nvidia_gpu())
      say(fmt::format("this machine's GPU is not used, because the device is {}", to_text(device)));
    return std::optional<DryGpu>(std::in_place, dry_choice(device));
  }
  if (device.kind == config::DeviceKind::kCuda) {
    if (is_on_dry_gpu())
      throw UsageError(
          "device: cuda is a dry GPU in this process (strata exec --dry); use `strata run --dry` instead");
    require_gpu(device.index);
  }
  return std::nullopt;
}

std::string parameters_text(const config::RunConfig& config) {
  std::string all = fmt::format("{} parameters", config::parameter_count(config));
  if (!config.adapter.is_used()) return all;
  return fmt::format("{}, {} of them trained", all,
                     config::adapter_parameter_count(config.model, config.adapter));
}

int exit_code_of(const trainer::Result& result) {
  switch (result.outcome) {
    case trainer::Outcome::kDone:
      return kDone;
    case trainer::Outcome::kInterrupted:
      return kSignalBase + InterruptGuard::signal();
    case trainer::Outcome::kOutOfMemory:
      return kOutOfMemory;
    case trainer::Outcome::kFailed:
      break;
  }
  return kFailed;
}

void say_how_it_ended(const trainer::Result& result) {
  if (result.outcome == trainer::Outcome::kInterrupted) {
    say(fmt::format("interrupted after {} steps; this report covers the completed part", result.steps));
  } else if (result.outcome != trainer::Outcome::kDone) {
    say(fmt::format("the run failed after {} steps: {}", result.steps, result.message));
  }
}

// No effect if the run's folder no longer exists. The exit code must say how the training ended, even if
// results cannot be written.
int show_results(const std::filesystem::path& directory, Printed printed, std::uint32_t rank, int exit_code) {
  if (!RunDirectory::removal_of(directory).empty()) return exit_code;
  try {
    write_results(directory, printed, rank == 0 ? std::nullopt : std::optional<std::uint64_t>(rank));
  } catch (const std::exception& error) {
    say(error.what());
    return exit_code == kDone ? kFailed : exit_code;
  }
  return exit_code;
}

}  // namespace

TrainingProcess::TrainingProcess(config::RunConfig config, trainer::RankPlace place)
    : config_(std::move(config)), place_(std::move(place)) {
  config_.device = device_of(config_.device, place_);
  dry_ = prepare_device(config_.device, is_first());
  run_training_ = load_trainer().run;
}

int TrainingProcess::record(const std::filesystem::path& directory, const std::function<void()>& keep) {
  const int exit_code = record_unsaid(directory, keep);
  if (!lost_.empty()) say(lost_);
  return exit_code;
}

int TrainingProcess::record_unsaid(const std::filesystem::path& directory,
                                   const std::function<void()>& keep) {
  const InterruptGuard guard;
  // The session's end writes the manifest and closes the store: analysis reads them after it.
  std::optional<Session> session(std::in_place, session_options(config_, directory, place_));
  keep();
  if (is_first()) announce(directory);
  const trainer::Result result = train(*session, directory);
  lost_ = session->lost();
  session.reset();
  if (std::string removal = RunDirectory::removal_of(directory); !removal.empty()) lost_ = std::move(removal);

  if (is_first() || result.outcome != trainer::Outcome::kInterrupted) say_how_it_ended(result);
  const int exit_code = exit_code_of(result);
  return exit_code == kDone && !lost_.empty() ? kFailed : exit_code;
}

int TrainingProcess::run(const std::filesystem::path& directory, Printed printed,
                         const std::function<void()>& keep) {
  const int exit_code = show_results(directory, is_first() ? printed : Printed::kNothing, place_.rank,
                                     record_unsaid(directory, keep));
  // Behind the report, which looks as one of a whole run does.
  if (!lost_.empty()) say(lost_);
  return exit_code;
}

void TrainingProcess::announce(const std::filesystem::path& directory) const {
  const std::string device =
      dry_ ? fmt::format("a dry {}, which computes nothing", dry_->profile().name) : to_text(config_.device);
  const std::string model =
      is_built_in(config_.model.name) ? parameters_text(config_) : config_.model.file.filename().string();
  std::string ranks;
  if (place_.world_size > 1)
    ranks = fmt::format(", as rank 0 of {}{}", place_.world_size,
                        place_.launcher == trainer::Launcher::kNone ? " alone" : "");
  const std::string resumed =
      config_.resume.empty() ? "" : fmt::format(", resumed from {}", config_.resume.string());
  say(fmt::format("{}: {}, {} steps on {}{}{}, in {}", config_.name, model, config::total_steps(config_),
                  device, ranks, resumed, directory.string()));
}

// From a session that is up to its end.
trainer::Result TrainingProcess::train(Session& session, const std::filesystem::path& directory) const {
  std::optional<ProgressDisplay> display;
  if (is_first()) display.emplace(is_terminal(STDERR_FILENO));
  // Recorded at once, so that no recording of this run can be mistaken for a measured one; and again with all
  // counts.
  const auto describe_dry = [&] {
    if (dry_) session.describe("dry", dry_->describe());
  };
  describe_dry();
  return run_training_({.config = config_,
                        .session = session,
                        .on_step =
                            [&](const trainer::Progress& progress) {
                              if (display) display->show(progress);
                            },
                        .interrupt = InterruptGuard::signal(),
                        .before_end = describe_dry,
                        .place = place_,
                        .directory = directory});
}

}  // namespace strata::cli
