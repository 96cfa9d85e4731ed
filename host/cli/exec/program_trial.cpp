// SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec/program_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "host/analysis/analyse.hpp"
#include "host/cli/child_process.hpp"
#include "host/cli/dry/dry_account.hpp"
#include "host/cli/exec/processes.hpp"
#include "host/cli/exec/program_environment.hpp"
#include "host/cli/exec/program_name.hpp"
#include "host/cli/exec/recording.hpp"
#include "host/cli/part_library.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/cli/training/rank_processes.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/compute_device.hpp"
#include "host/config/reading/value.hpp"
#include "host/report/shell_word.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLinesOfFailure = 12;  // the end of a traceback

// Python runs its sitecustomize.py first. In a wheel the package is around the program, else beside its
// libraries.
fs::path folder_at_start() {
  const fs::path within = "trial/at_start";
  const fs::path program = fs::read_symlink("/proc/self/exe");
  for (const fs::path& package :
       {part_library_path("python/strata_profiler"), program.parent_path().parent_path().parent_path()}) {
    if (fs::exists(package / within / "sitecustomize.py")) return package / within;
  }
  throw UsageError(
      "this installation lacks the Python package strata_profiler, which ends a program's trial");
}

struct Trial {
  int exit_code = 0;
  std::string last_words;
  std::vector<analysis::Facts> facts;  // of each process that trained
};

Trial run(const ProgramTrialRequest& request, const std::string& program) {
  const DryChoice choice = dry_choice_for(request.device, program);
  const ScratchFolder scratch("strata-trial");
  const fs::path run = scratch.path() / "run", said = scratch.path() / "said.txt";
  ProgramRecording recording({.plugins = {}, .settings = {}, .out = run.string(), .layers = true}, "trial",
                             request.device);
  Variables variables = recording.begin();
  std::vector<fs::path> preloaded{ProgramRecording::preload_library()};
  add_dry_gpu(choice, scratch.path(), variables, preloaded);
  add_preloaded(preloaded, variables);
  put_first("PYTHONPATH", folder_at_start().string(), variables);
  variables["STRATA_TRIAL_STEPS"] = std::to_string(request.steps);
  Trial trial;
  trial.exit_code = run_rank_processes(1, [&](const trainer::RankPlace&) {
    redirect_output(said);
    return run_program(program, request.command, variables);
  });
  throw_if_interrupted(trial.exit_code);
  trial.last_words = last_lines(said, kLinesOfFailure);
  const CommandEnd end{
      .line = {}, .dry = dry_json(choice, read_dry_accounts(scratch.path())), .exit_code = trial.exit_code};
  for (const RecordedProcess& process : settle_processes(run, end)) {
    if (process.is_main) trial.facts.push_back(analysis::analyse(run, process.rank));
  }
  return trial;
}

}  // namespace

std::string program_trial_command(const ProgramTrialRequest& request) {
  const DryChoice choice = dry_choice(config::parse_device(request.device, fs::current_path()));
  const std::string count = choice.devices == 1 ? "" : fmt::format(":{}", choice.devices);
  const std::int64_t memory = choice.settings.memory_bytes;
  return fmt::format("strata exec --dry {}{}{} -- {}", report::shell_word(choice.profile.key), count,
                     memory > 0 ? " --device-memory " + config::format_bytes(memory) : "",
                     report::shell_line(request.command));
}

fit::TrialReport run_program_trial(const ProgramTrialRequest& request) {
  const std::string program = find_program(request.command.front());
  if (program.empty())
    throw UsageError(
        fmt::format("there is no program '{}'{}", request.command.front(), what_was_meant(request.command)));
  const Trial trial = run(request, program);
  const bool ran_out = std::ranges::any_of(
      trial.facts, [](const analysis::Facts& facts) { return !facts.out_of_memory.empty(); });
  if (trial.exit_code != 0 && !ran_out) {
    throw std::runtime_error(
        fmt::format("the trial ended with exit code {}, and not for want of memory:\n{}\n  in the trial: {}",
                    trial.exit_code, trial.last_words, program_trial_command(request)));
  }
  std::optional<fit::TrialReport> most;
  for (const analysis::Facts& facts : trial.facts) {
    fit::TrialReport report = trial_report(facts, !ran_out);
    // Of those that ran out the one that failed knows why.
    const bool says_more = !most || (report.failure && !most->failure) ||
                           (report.failure.has_value() == most->failure.has_value() &&
                            report.needed_bytes() > most->needed_bytes());
    if (says_more) most = std::move(report);
  }
  if (!most || most->reserved_bytes == 0)
    throw std::runtime_error(
        fmt::format("nothing that the program ran took memory of the card\n  in the trial: {}",
                    program_trial_command(request)));
  return *most;
}

}  // namespace strata::cli
