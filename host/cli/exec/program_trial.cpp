// SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec/program_trial.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "host/analysis/analyse.hpp"
#include "host/cli/child_process.hpp"
#include "host/cli/dry_account.hpp"
#include "host/cli/exec/program_environment.hpp"
#include "host/cli/exec/program_name.hpp"
#include "host/cli/exec/recording.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/part_library.hpp"
#include "host/cli/processes.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/cli/training/rank_processes.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/reading/value.hpp"
#include "host/config/schema/compute_device.hpp"
#include "host/grid/outcome.hpp"
#include "host/report/shell_word.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLinesOfFailure = 12;  // the end of a traceback
constexpr std::size_t kLinesWithError = 48;

struct Trial {
  int exit_code = 0;
  std::uint64_t host_bytes = 0;
  std::string last_words, error;  // of its output: the end; the line with an error
  struct Process {
    std::uint32_t rank = 0;
    analysis::Facts facts;
    std::string notes;
  };
  std::vector<Process> processes;  // that trained
  std::string problem;             // of a change that could not be made
};

constexpr const char* kAllocatorVariable = "PYTORCH_CUDA_ALLOC_CONF";

void add_changes(const ProgramTrialRequest& request, const fs::path& notes, Variables& variables) {
  if (!request.allocator_settings.empty()) {
    const char* const own = std::getenv(kAllocatorVariable);
    variables[kAllocatorVariable] = own == nullptr || *own == '\0'
                                        ? request.allocator_settings
                                        : fmt::format("{},{}", own, request.allocator_settings);
  }
  if (!request.takes_notes) return;
  fs::create_directory(notes);
  variables["STRATA_TRIAL_NOTES"] = notes.string();
  variables["STRATA_TRIAL_CHANGES"] = fmt::format("{}", fmt::join(request.changes, "\n"));
  variables["STRATA_TRIAL_FACTS"] = request.facts.string();
}

std::string notes_of(const fs::path& folder, std::uint32_t pid) {
  std::ifstream stream(folder / fmt::format("{}.json", pid));
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The reason why the first of the requested changes was not made.
std::string problem_in(const std::string& notes) {
  if (notes.empty()) return {};
  const nlohmann::json taken = nlohmann::json::parse(notes);
  for (const nlohmann::json& change : taken.at("changes"))
    if (!change.at("problem").is_null()) return change.at("problem").get<std::string>();
  return {};
}

std::string program_of(const ProgramTrialRequest& request) {
  std::string program = find_program(request.command.front());
  if (program.empty())
    throw UsageError(
        fmt::format("no program '{}'{}", request.command.front(), what_was_meant(request.command)));
  return program;
}

// Adds the environment for the dry GPU and for Python's part.
void add_surroundings(const ProgramTrialRequest& request, const DryChoice& choice, const fs::path& scratch,
                      Variables& variables) {
  std::vector<fs::path> preloaded{ProgramRecording::preload_library()};
  add_dry_gpu(choice, scratch, variables, preloaded);
  add_preloaded(preloaded, variables);
  add_python_part(variables);
  variables["STRATA_TRIAL_STEPS"] = std::to_string(request.steps);
}

// `devices`: of the node.
TrialServer::End run_anew(const std::string& program, const ProgramTrialRequest& request,
                          const Variables& variables, std::uint32_t devices, const fs::path& said) {
  const auto run = [&](const Variables& more) {
    redirect_output(said);
    Variables all = variables;
    all.insert(more.begin(), more.end());
    return run_program(program, request.command, all);
  };
  const int exit_code = request.job.world_size > 0
                            ? run_job(request.job, devices, run)
                            : run_rank_processes(1, [&](const trainer::RankPlace&) { return run({}); });
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return {.exit_code = exit_code, .host_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) << 10};
}

Trial run(const ProgramTrialRequest& request) {
  const std::string program = program_of(request);
  const DryChoice choice = dry_choice_for(request.device, program);
  const ScratchFolder scratch("strata-trial");
  const fs::path run = scratch.path() / "run", said = scratch.path() / "said.txt",
                 notes = scratch.path() / "notes";
  ProgramRecording recording({.plugins = {},
                              .settings = {},
                              .out = run.string(),
                              .absent_peers = request.job.world_size > 0,
                              .layers = true},
                             "trial", request.device);
  Variables variables = recording.begin();
  add_surroundings(request, choice, scratch.path(), variables);
  add_changes(request, notes, variables);
  Trial trial;
  const TrialServer::End ended =
      request.server != nullptr
          ? request.server->run(variables, said)
          : run_anew(program, request, variables, static_cast<std::uint32_t>(choice.devices), said);
  trial.exit_code = ended.exit_code;
  trial.host_bytes = ended.host_bytes;
  throw_if_interrupted(trial.exit_code);
  trial.error = grid::line_of_error(last_lines(said, kLinesWithError));
  trial.last_words = last_lines(said, kLinesOfFailure);
  const CommandEnd end{
      .line = {}, .dry = dry_json(choice, read_dry_accounts(scratch.path())), .exit_code = trial.exit_code};
  for (const RecordedProcess& process : settle_processes(run, end)) {
    if (!process.is_main) continue;
    trial.processes.push_back({.rank = process.rank,
                               .facts = analysis::analyse(run, process.rank),
                               .notes = notes_of(notes, process.pid)});
    if (!request.changes.empty() && trial.problem.empty())
      trial.problem = problem_in(trial.processes.back().notes);
  }
  return trial;
}

}  // namespace

std::string program_trial_command(const ProgramTrialRequest& request) {
  const DryChoice choice = dry_choice(config::parse_device(request.device, fs::current_path()));
  const std::string count = choice.devices == 1 ? "" : fmt::format(":{}", choice.devices);
  const std::int64_t memory = choice.settings.memory_bytes;
  const JobArguments& job = request.job;
  return fmt::format("strata exec --dry {}{}{}{}{} -- {}", report::shell_word(choice.profile.key), count,
                     memory > 0 ? " --device-memory " + config::format_bytes(memory) : "",
                     job.world_size > 0 ? fmt::format(" --world {}", job.world_size) : "",
                     job.ranks.empty() ? "" : fmt::format(" --ranks {}", report::shell_word(job.ranks)),
                     report::shell_line(request.command));
}

std::unique_ptr<TrialServer> start_trial_server(const ProgramTrialRequest& request, const fs::path& folder) {
  const std::string program = program_of(request);
  Variables variables;
  add_surroundings(request, dry_choice_for(request.device, program), folder, variables);
  auto server = std::make_unique<TrialServer>(program, request.command, std::move(variables), folder);
  // In a process of its own, which Ctrl-C may end.
  const int exit_code =
      run_rank_processes(1, [&](const trainer::RankPlace&) { return server->is_ready() ? kDone : kFailed; });
  throw_if_interrupted(exit_code);
  return exit_code == kDone ? std::move(server) : nullptr;
}

ProgramTrial run_program_trial(const ProgramTrialRequest& request) {
  Trial trial = run(request);
  if (!trial.problem.empty()) throw std::runtime_error(trial.problem);
  const bool ran_out = std::ranges::any_of(
      trial.processes, [](const Trial::Process& process) { return !process.facts.out_of_memory.empty(); });
  if (trial.exit_code != 0 && !ran_out) {
    if (trial.exit_code == kSignalBase + SIGKILL)
      throw std::runtime_error("the trial was killed, most likely because the host's memory was full");
    if (!request.changes.empty())
      throw std::runtime_error(
          trial.exit_code > kSignalBase
              ? fmt::format("the trial was killed by signal {}", trial.exit_code - kSignalBase)
              : "the program fails: " + trial.error);
    throw std::runtime_error(
        fmt::format("the trial ended with exit code {}, but not because memory ran out:\n"
                    "{}\n"
                    "  in the trial: {}",
                    trial.exit_code, trial.last_words, program_trial_command(request)));
  }
  std::optional<ProgramTrial> most;
  for (Trial::Process& process : trial.processes) {
    what_if::TrialReport report = trial_report(process.facts, !ran_out);
    if (trial.processes.size() > 1 || request.job.world_size > 0) report.rank = process.rank;
    // Each trial has as many steps of an optimizer; a change may have more passes in each.
    if (report.step_ns)
      *report.step_ns *= static_cast<double>(process.facts.steps.size()) / static_cast<double>(request.steps);
    // Among failed ones, the process with the failed allocation knows the reason.
    const bool says_more = !most || (report.failure && !most->report.failure) ||
                           (report.failure.has_value() == most->report.failure.has_value() &&
                            report.needed_bytes() > most->report.needed_bytes());
    if (says_more) most = {.report = std::move(report), .notes = std::move(process.notes)};
  }
  if (!most || most->report.reserved_bytes == 0)
    throw std::runtime_error(fmt::format("the program used no memory of the card\n  in the trial: {}",
                                         program_trial_command(request)));
  most->host_bytes = trial.host_bytes;
  return std::move(*most);
}

}  // namespace strata::cli
