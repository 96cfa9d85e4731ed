// `strata exec`: any command, and all that it starts, with a dry GPU in CUDA's place.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/cli/child_process.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/cuda_driver.hpp"
#include "host/cli/cuda_program.hpp"
#include "host/cli/dry_account.hpp"
#include "host/cli/dry_argument.hpp"
#include "host/cli/dry_gpu.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/config/compute_device.hpp"
#include "host/config/value.hpp"
#include "host/report/dry.hpp"
#include "host/report/quantity.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kOwnFailure = 125;  // as env and timeout: 126 and 127 are in child_process.hpp

struct ExecArguments {
  DryArguments dry;
  std::string account;
  std::vector<std::string> command;
};

// Where processes find the profile and leave their accounts; gone when the command is.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "strata-exec-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw UsageError(fmt::format("cannot make a folder {}; TMPDIR names another place", pattern));
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// `first`, and behind it what the variable held.
std::string before_own(const char* variable, const std::string& first) {
  const char* const own = std::getenv(variable);
  return own == nullptr || *own == '\0' ? first : first + ":" + own;
}

std::map<std::string, std::string> dry_environment(const fs::path& scratch) {
  std::vector<std::string> libraries;
  for (const fs::path& facade : dry_gpu_facades()) libraries.push_back(facade.string());
  return {{"STRATA_DRY_GPU", (scratch / "profile").string()},
          {"STRATA_DRY_GPU_ACCOUNTS", scratch.string()},
          // Libraries that are there already are what torch's own search path would have found.
          {"LD_PRELOAD", before_own("LD_PRELOAD", fmt::format("{}", fmt::join(libraries, ":")))},
          // libcuda.so.1 is looked for as a file by those who compile kernels.
          {"LD_LIBRARY_PATH", before_own("LD_LIBRARY_PATH", dry_gpu_folder().string())}};
}

std::string account_text(const DryChoice& choice, const DryAccount& account) {
  const config::DeviceProfile& profile = choice.profile;
  if (account.processes == 0)
    return fmt::format("no process asked for a CUDA device, so that {} made no difference", profile.key);
  std::string text = fmt::format(
      "on a dry {}, nothing was computed and no time measured: {} not run, {} not computed, {} of unknown "
      "values ({})",
      profile.name, report::counted(account.kernels_not_run, "kernel", "kernels"),
      report::counted(account.library_calls_not_computed, "library call", "library calls"),
      report::counted(account.unknown_reads, "read", "reads"),
      report::counted(account.unknown_read_bytes, "byte", "bytes"));
  if (account.answered_reads > 0)
    text += fmt::format(", {} answered", report::counted(account.answered_reads, "read", "reads"));
  if (account.processes > 1) text += fmt::format(", in {} processes", account.processes);
  const auto taken = [](std::int64_t bytes) {
    return bytes == 0 ? std::string() : config::format_bytes(bytes);
  };
  text += report::unknowns_text({.times = account.unknown_times,
                                 .workspaces = account.unknown_workspaces,
                                 .communicators = account.communicators,
                                 .cudnn_workspace = taken(choice.settings.cudnn_workspace_bytes),
                                 .cusolver_workspace = taken(choice.settings.cusolver_workspace_bytes),
                                 .nccl_memory = taken(choice.settings.nccl_memory_bytes)});
  if (choice.settings.models_time)
    text += fmt::format("; its times are modelled: {} of work",
                        report::duration(static_cast<double>(account.modelled_ns())));
  std::vector<std::string> readers;
  for (const DryAccount::Reader& reader : account.readers) {
    if (reader.unknown_reads > 0)
      readers.push_back(fmt::format("{} ({})", reader.name, reader.unknown_reads));
  }
  if (!readers.empty()) text += fmt::format("; unknown values were read by {}", fmt::join(readers, ", "));
  if (!account.refused.empty()) {
    std::vector<std::string> functions;
    for (const DryAccount::Refused& refused : account.refused)
      functions.push_back(fmt::format("{} ({})", refused.function, refused.calls));
    text += fmt::format("; refused: {}", fmt::join(functions, ", "));
  }
  return text;
}

int exec(const ExecArguments& arguments) {
  if (arguments.command.empty())
    throw UsageError("exec: expected a command behind `--`; see `strata exec --help`");
  const std::string device = arguments.dry.device("exec");
  if (device.empty()) throw UsageError("exec: expected --dry PROFILE[:N]; `strata devices` lists profiles");
  require_dry_gpu();
  const DryChoice choice = dry_choice(config::parse_device(device, fs::current_path()));
  const config::DeviceProfile& profile = choice.profile;

  const std::string program = find_program(arguments.command.front());
  if (program.empty()) {
    say(fmt::format("exec: there is no program '{}'", arguments.command.front()));
    return kNotFound;
  }
  if (const std::string reason = why_not_dry(program); !reason.empty()) throw UsageError(reason);
  if (has_nvidia_gpu())
    say(fmt::format("this machine has a GPU; it is not used, for {} is dry", profile.key));

  const Scratch scratch;
  write_whole_file(scratch.path() / "profile", dry_choice_text(choice));
  const int exit_code = run_program(program, arguments.command, dry_environment(scratch.path()));

  const DryAccount account = read_dry_accounts(scratch.path());
  say(account_text(choice, account));
  if (!arguments.account.empty()) write_whole_file(arguments.account, dry_json(choice, account) + '\n');
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
      app.add_subcommand("exec", "Run any command, and all that it starts, on a dry GPU");
  add_dry_options(*command, arguments->dry);
  command->add_option("--account", arguments->account, "File for what the run owns up to, as JSON");
  command->add_option("COMMAND", arguments->command, "The command and its words, behind --");
  command->footer(
      "The program finds CUDA devices whose memory is that of the card, and PyTorch's own allocator on them; "
      "no "
      "kernel\n"
      "runs, and what one would have written reads as zeros. At the end a line tells what was not done.\n\n"
      "Exit codes: the command's own; 125 strata itself failed, 126 the command cannot be run, 127 there is "
      "none.\n\n"
      "Examples:\n"
      "  strata exec --dry h100-80gb -- python train.py\n"
      "  strata exec --dry a100-40gb:2 -- bash compare.sh\n"
      "  strata exec --dry h100-80gb --answers counts.yaml -- python generate.py\n"
      "  strata exec --dry h100-80gb --clock modelled --cudnn-workspace 32MiB -- python train.py\n"
      "  strata exec --dry ./my-card.yaml --account dry.json -- ./trainer --steps 3");
  command->callback([arguments, &exit_code] { exit_code = exec_or_explain(*arguments); });
}

}  // namespace strata::cli
