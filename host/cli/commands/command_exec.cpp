// SPDX-License-Identifier: Apache-2.0
// `strata exec`: any command, and all that it starts, recorded, and with a dry GPU in CUDA's place where that
// is asked for.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/cli/child_process.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/commands/advise_trials.hpp"
#include "host/cli/cuda_driver.hpp"
#include "host/cli/dry/dry_argument.hpp"
#include "host/cli/dry_account.hpp"
#include "host/cli/dry_gpu.hpp"
#include "host/cli/exec/program_environment.hpp"
#include "host/cli/exec/program_name.hpp"
#include "host/cli/exec/recording.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/job/job.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/reading/value.hpp"
#include "host/config/schema/compute_device.hpp"
#include "host/report/dry.hpp"
#include "host/report/quantity.hpp"
#include "host/report/shell_word.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoPlugins = "none";
constexpr int kOwnFailure = 125;  // as env and timeout: 126 and 127 are in child_process.hpp

struct ExecArguments {
  DryArguments dry;
  RecordingArguments recording;
  JobArguments job;
  std::string account;
  bool environment = false;
  bool advises = false;
  bool holders = false;  // which Python objects keep tensors
  bool no_layers = false;
  std::vector<std::string> command;
};

// Reports answers for a reader that used none, because of a misspelt name or another type, with its actual
// reads.
void say_answers_left(const DryChoice& choice, const DryAccount& account) {
  std::set<std::string> told;
  for (const config::Answer& answer : choice.answers) {
    const auto reader = std::ranges::find(account.readers, answer.reader, &DryAccount::Reader::name);
    const bool reads = reader != account.readers.end() && reader->unknown_reads > 0;
    if ((reader != account.readers.end() && reader->answered_reads > 0) || !told.insert(answer.reader).second)
      continue;
    say(fmt::format("no answer for {} was used: {}", answer.reader,
                    reads ? fmt::format("it read {} of {}, but the answer has {}",
                                        report::counted(reader->unknown_reads, "value", "values"),
                                        report::counted(reader->unknown_bytes, "byte", "bytes"),
                                        report::counted(answer.value_bytes, "byte", "bytes"))
                          : "it read no unknown values; --account FILE lists the readers that did"));
  }
}

std::string account_text(const DryChoice& choice, const DryAccount& account) {
  const config::DeviceProfile& profile = choice.profile;
  if (account.processes == 0)
    return fmt::format("no process used a CUDA device, so {} had no effect", profile.key);
  std::string text = fmt::format(
      "on a dry {}, nothing was computed and no time measured: {} not run, {} not computed, {} of unknown "
      "values ({})",
      profile.name, report::counted(account.kernels_not_run, "kernel", "kernels"),
      report::counted(account.library_calls_not_computed, "library call", "library calls"),
      report::counted(account.unknown_reads, "read", "reads"),
      report::counted(account.unknown_read_bytes, "byte", "bytes"));
  if (account.answered_reads > 0)
    text += fmt::format(", {} answered", report::counted(account.answered_reads, "read", "reads"));
  text += report::assumed_text(account.assumed_reads);
  if (account.processes > 1) text += fmt::format(", in {} processes", account.processes);
  const auto taken = [](std::int64_t bytes) {
    return bytes == 0 ? std::string() : config::format_bytes(bytes);
  };
  const auto communicator_bytes = static_cast<std::int64_t>(choice.communicator_bytes());
  text += report::unknowns_text({.times = account.unknown_times,
                                 .workspaces = account.workspaces,
                                 .communicators = account.communicators,
                                 .cudnn_workspace = taken(choice.settings.cudnn_workspace_bytes),
                                 .cusolver_workspace = taken(choice.settings.cusolver_workspace_bytes),
                                 .nccl_memory = taken(communicator_bytes)});
  if (choice.settings.models_time)
    text += fmt::format("; its times are modelled: {} of work",
                        report::duration(static_cast<double>(account.modelled_ns())));
  std::vector<std::pair<std::string, std::uint64_t>> readers;
  readers.reserve(account.readers.size());
  for (const DryAccount::Reader& reader : account.readers)
    readers.emplace_back(reader.name, reader.unknown_reads);
  text += report::readers_text(readers);
  if (!account.refused.empty()) {
    std::vector<std::string> functions;
    functions.reserve(account.refused.size());
    for (const DryAccount::Refused& refused : account.refused)
      functions.push_back(fmt::format("{} ({})", refused.function, refused.calls));
    text += fmt::format("; refused: {}", fmt::join(functions, ", "));
  }
  return text;
}

std::optional<DryChoice> choose_device(const std::string& device, const std::string& program) {
  if (device.empty()) return std::nullopt;
  const DryChoice choice = dry_choice_for(device, program);
  if (has_nvidia_gpu())
    say(fmt::format("this machine's GPU is not used, because {} is a dry GPU", choice.profile.key));
  return choice;
}

// For a program that marks its own loop, and that something else starts.
int print_environment(const ExecArguments& arguments) {
  if (!arguments.command.empty() || !arguments.dry.device("exec").empty() ||
      arguments.recording.plugins == kNoPlugins)
    throw UsageError(
        "exec: --environment only prints the environment for a program that includes strata/trainer.h, and "
        "starts nothing: leave out the command, --dry and --plugins none");
  ProgramRecording recording(arguments.recording, "program", {});
  for (const auto& [name, value] : recording.begin())
    print(fmt::format("export {}={}\n", name, report::shell_word(value)));
  say(fmt::format("after the program has run: strata report {}", recording.folder().string()));
  return 0;
}

std::string killed_text(bool is_dry) {
  std::string text =
      "the command was killed (SIGKILL): unless somebody killed it, the host's memory was full";
  if (is_dry)
    text +=
        "; with a dry card, create the model on the card to use no host memory for it: "
        "torch.set_default_device(\"cuda\")";
  return text;
}

// The program has ended, and its exit code is its own: what of the following fails is said and no more.
void report_what_ran(const ExecArguments& arguments, const std::optional<DryChoice>& dry,
                     const fs::path& accounts, std::optional<ProgramRecording>& recording, int exit_code) {
  std::string account_json;
  const auto or_say = [](const auto& tell) {
    try {
      tell();
    } catch (const std::exception& error) {
      say(error.what());
    }
  };
  or_say([&] {
    if (!dry) return;
    const DryAccount account = read_dry_accounts(accounts);
    account_json = dry_json(*dry, account);
    say(account_text(*dry, account));
    say_answers_left(*dry, account);
    if (!arguments.account.empty()) write_whole_file(arguments.account, account_json + '\n');
  });
  if (exit_code == kSignalBase + SIGKILL) say(killed_text(dry.has_value()));
  or_say([&] {
    if (!recording) return;
    recording->end(
        {.line = report::shell_line(arguments.command), .dry = account_json, .exit_code = exit_code});
  });
}

// The program's exit code stays its own.
void print_advice_command(const ExecArguments& arguments, const std::string& device) {
  AdviseArguments trials;
  trials.config = arguments.command.front();
  trials.overrides.assign(arguments.command.begin() + 1, arguments.command.end());
  trials.dry = device;
  trials.is_program = true;
  try {
    complain("\n" + advise(trials).text);
  } catch (const std::exception& error) {
    say(error.what());
  }
}

std::string device_of(const ExecArguments& arguments) {
  const JobArguments& job = arguments.job;
  const bool is_job = job.world_size > 0;
  if (!is_job && !job.ranks.empty())
    throw UsageError("exec: --rank chooses ranks of a job; add --world N, its number of ranks");
  if (is_job && arguments.dry.profile.empty())
    throw UsageError("exec: --world runs some ranks of a job on dry cards; add one, such as --dry h100-80gb");
  if (is_job && arguments.recording.plugins == kNoPlugins)
    throw UsageError("exec: --world needs a recording; remove --plugins none");
  if (is_job && arguments.advises)
    throw UsageError("exec: --advise tries changes in one process; remove it, or --world");
  return (is_job ? devices_of_node(arguments.dry, job) : arguments.dry).device("exec");
}

int exec(const ExecArguments& arguments) {
  if (arguments.environment) return print_environment(arguments);
  if (arguments.command.empty())
    throw UsageError("exec: expected a command after `--`; see `strata exec --help`");
  const std::string device = device_of(arguments);
  const std::string program = find_program(arguments.command.front());
  if (program.empty()) {
    say(fmt::format("exec: no program '{}'{}", arguments.command.front(), what_was_meant(arguments.command)));
    return kNotFound;
  }
  if (const std::string meant = what_was_meant(arguments.command);
      !meant.empty() && access(program.c_str(), X_OK) != 0) {
    say(fmt::format("exec: {} is not executable{}", program, meant));
    return kNotExecutable;
  }
  const std::optional<DryChoice> dry = choose_device(device, program);
  if (!dry && !arguments.account.empty()) throw UsageError("exec: --account needs --dry");
  if (!dry && arguments.advises)
    throw UsageError("exec: --advise tries changes on a dry card; add one, such as --dry rtx-4090");
  std::optional<ProgramRecording> recording;
  if (arguments.job.world_size > 0) ranks_of(arguments.job);  // before anything is made
  if (arguments.recording.plugins != kNoPlugins)
    recording.emplace(arguments.recording, program_name(arguments.command), device);
  if (!recording && arguments.holders)
    throw UsageError("exec: --holders needs a recording; remove --plugins none");
  if (!recording && !dry)
    throw UsageError(
        "exec: there is nothing to do with --plugins none and without --dry; remove --plugins none, or add "
        "--dry");

  // Contains the profile for the processes, and their accounts.
  const ScratchFolder scratch("strata-exec");
  Variables variables = recording ? recording->begin() : Variables{};
  std::vector<fs::path> preloaded;
  if (recording) preloaded.push_back(ProgramRecording::preload_library());
  if (dry) add_dry_gpu(*dry, scratch.path(), variables, preloaded);
  add_preloaded(preloaded, variables);
  const auto run = [&](const Variables& more) {
    Variables all = variables;
    all.insert(more.begin(), more.end());
    return run_program(program, arguments.command, all);
  };
  if (arguments.job.world_size > 0 || arguments.holders) add_python_part(variables);
  if (arguments.holders) variables["STRATA_HOLDERS"] = recording->folder().string();
  const int exit_code = arguments.job.world_size > 0
                            ? run_job(arguments.job, static_cast<std::uint32_t>(dry->devices), run)
                            : run({});
  report_what_ran(arguments, dry, scratch.path(), recording, exit_code);
  if (arguments.advises) print_advice_command(arguments, device);
  return exit_code;
}

int exec_or_explain(const ExecArguments& arguments) {
  try {
    return exec(arguments);
  } catch (const std::exception& error) {
    say(error.what());
    return kOwnFailure;
  }
}

}  // namespace

void add_exec_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ExecArguments>();
  CLI::App* const command =
      app.add_subcommand("exec", "Record any PyTorch program unchanged, on a GPU, a dry GPU or the CPU");
  command->add_option(
      "--plugins", arguments->recording.plugins,
      "Plugins to load, comma-separated or as a YAML list; none: record nothing [allocator_tracer]");
  command
      ->add_option("--set", arguments->recording.settings,
                   "KEY=VALUE of the run's YAML: schedule, trace, cupti, plugins, store or name")
      ->allow_extra_args(false);  // else the command's words are taken for more of them
  command->add_option("--out", arguments->recording.out,
                      "Folder for the run, new or empty [runs/<program>/<time>]");
  CLI::Option* const layers = command->add_flag("--layers", arguments->recording.layers,
                                                "Also record each module's forward in a Python program that "
                                                "attaches no model (about 2 us per call) [with --dry]");
  command->add_flag("--no-layers", arguments->no_layers, "Do not record module forwards, even with --dry")
      ->excludes(layers);
  command->add_flag("--detail", arguments->recording.detail,
                    "Print all tables when the command ends, instead of one screen");
  add_dry_options(*command, arguments->dry);
  command
      ->add_option("--world", arguments->job.world_size,
                   "With --dry: run the command as one rank of a job of N ranks; the others are absent")
      ->type_name("N")
      ->check(CLI::Range(1U, kMostInWorld));
  command->add_option("--rank,--ranks", arguments->job.ranks, kRanksHelp);
  command->add_flag("--advise", arguments->advises,
                    "With --dry: after the report, try changes that make the program need less memory, as "
                    "strata advise does");
  command->add_flag(
      "--holders", arguments->holders,
      "Also find which variables of a Python program hold more tensors from step to step; visits "
      "all its objects after steps 3, 6, 12 and so on");
  command->add_option("--account", arguments->account,
                      "JSON file for a list of everything that the dry run did not compute");
  command->add_flag(
      "--environment", arguments->environment,
      "Start nothing: print, for a shell, the environment for a program that includes strata/trainer.h");
  command->add_option("COMMAND", arguments->command,
                      "The command and its arguments, last; -- before them is optional");
  command->footer(
      "The program is not changed. Its steps and phases are inferred from what autograd runs and from the "
      "names\n"
      "that PyTorch gives to optimizers and data loaders; the report marks them as inferred. Parameters, "
      "gradients\n"
      "and optimizer state are found. What the program marks itself with strata/trainer.h is used as marked "
      "and not\n"
      "inferred again. When the command ends, the results are reported on standard error.\n\n"
      "With --dry the program finds CUDA devices with the memory of the card, and uses PyTorch's own "
      "allocator on\n"
      "them. No kernel runs; memory that a kernel would have written reads as zeros. A line at the end "
      "reports what\n"
      "was not done.\n\n"
      "Exit codes: the command's own; 2 unknown option, 125 strata could not start the command or an "
      "option's value\n"
      "is wrong, 126 the command cannot be run, 127 the command does not exist.\n\n"
      "Examples:\n"
      "  strata exec -- python train.py\n"
      "  strata exec --dry h100-80gb -- python train.py\n"
      "  strata exec --plugins allocator_tracer,warmup_analyzer --set schedule.wait=10 --set "
      "schedule.active=5 -- python train.py\n"
      "  strata exec --dry rtx-4090 --advise -- python train.py\n"
      "  strata exec --holders -- python train.py\n"
      "  strata exec --dry a100-40gb:2 -- torchrun --nproc-per-node 2 train.py\n"
      "  strata exec --dry h100-80gb --world 512 -- torchrun --nnodes 64 --nproc-per-node 8 train.py\n"
      "  strata exec --dry h100-80gb --answers counts.yaml --plugins none -- python generate.py\n"
      "  strata exec --dry h100-80gb --clock modelled --cudnn-workspace 32MiB -- python train.py\n"
      "  strata exec --dry ./my-card.yaml --account dry.json -- ./trainer --steps 3\n"
      "  eval \"$(strata exec --environment --out runs/mine)\"; ./trainer; strata report runs/mine");
  command->callback([arguments, &exit_code] {
    // A dry GPU need not be fast, and the usual question is which layer holds the memory.
    if (!arguments->no_layers && !arguments->dry.profile.empty()) arguments->recording.layers = true;
    arguments->recording.absent_peers = arguments->job.world_size > 0;
    exit_code = exec_or_explain(*arguments);
  });
}

}  // namespace strata::cli
