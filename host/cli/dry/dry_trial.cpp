// SPDX-License-Identifier: Apache-2.0
#include "host/cli/dry/dry_trial.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

#include "host/analysis/analyse.hpp"
#include "host/analysis/steps/modelled_step.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/cli/training/rank_processes.hpp"
#include "host/cli/training/training_process.hpp"
#include "host/config/load.hpp"
#include "host/report/shell_word.hpp"

namespace strata::cli {
namespace {

constexpr const char* kAllocatorVariable = "PYTORCH_CUDA_ALLOC_CONF";

config::RunConfig load(const TrialRequest& request) {
  std::vector<std::string> overrides = request.overrides;
  std::ranges::move(trial_overrides(request), std::back_inserter(overrides));
  return config::load_config(request.config, overrides);
}

bool is_of_user(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

// What the child says goes into a file: of a trial that runs out of memory nobody wants to hear.
void redirect_output(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0)
    throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
  dup2(descriptor, STDOUT_FILENO);
  dup2(descriptor, STDERR_FILENO);
  ::close(descriptor);
}

std::string last_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string last;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) last = line;
  }
  constexpr std::string_view kSpeaker = "strata: ";
  return last.starts_with(kSpeaker) ? last.substr(kSpeaker.size()) : last;
}

fit::TrialFailure describe(const analysis::Facts& facts, const analysis::OutOfMemory& failure) {
  return {.requested_bytes = failure.requested_bytes,
          .op = facts.texts[failure.op],
          .layer = facts.texts[failure.layer],
          .phase = failure.held.phase,
          .allocated_bytes = failure.held.allocated_bytes,
          .held = failure.held.categories};
}

fit::TrialReport report_of(const analysis::Facts& facts, bool fits) {
  fit::TrialReport report;
  report.fits = fits;
  if (facts.dry) {
    report.memory_bytes = facts.dry->memory_bytes;
    report.context_bytes =
        facts.dry->context_bytes_used + facts.dry->communicators * facts.dry->communicator_bytes;
    report.step_ns = analysis::modelled_step_ns(facts);
  }
  report.allocated_bytes = facts.peak.allocated_bytes;
  report.categories = facts.peak.categories;
  for (const analysis::ReservedPoint& point : facts.reserved)
    report.reserved_bytes = std::max(report.reserved_bytes, point.bytes);
  if (!fits && !facts.out_of_memory.empty()) report.failure = describe(facts, facts.out_of_memory.back());
  return report;
}

}  // namespace

TrialInterrupted::TrialInterrupted(int exit_code)
    : std::runtime_error("interrupted"), exit_code_(exit_code) {}

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
  for (const std::string& each : request.overrides) command += " " + report::shell_word(each);
  for (const std::string& each : trial_overrides(request)) command += " " + report::shell_word(each);
  return command;
}

fit::TrialReport run_trial(const TrialRequest& request) {
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
  if (is_of_user(exit_code - kSignalBase)) throw TrialInterrupted(exit_code);
  if (exit_code != kDone && exit_code != kOutOfMemory) {
    throw std::runtime_error(fmt::format(
        "{}\n  in the trial: {}",
        exit_code > kSignalBase ? fmt::format("the trial died of signal {}", exit_code - kSignalBase)
                                : last_line(said),
        trial_command(request)));
  }
  return report_of(analysis::analyse(run), exit_code == kDone);
}

}  // namespace strata::cli
