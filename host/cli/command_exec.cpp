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

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kOwnFailure = 125;  // as env and timeout: 126 and 127 are in child_process.hpp

struct ExecArguments {
  std::string dry;
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

std::int64_t device_count(const DryArgument& dry) {
  const auto count = config::parse_integer(dry.count);
  if (!count || *count < 1 || *count > config::kMostDryDevices)
    throw UsageError(fmt::format("--dry {}:{}: expected 1 to {} devices", dry.profile, dry.count,
                                 config::kMostDryDevices));
  return *count;
}

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

std::string account_text(const config::DeviceProfile& profile, const DryAccount& account) {
  if (account.processes == 0)
    return fmt::format("no process asked for a CUDA device, so that {} made no difference", profile.key);
  std::string text = fmt::format(
      "on a dry {}, nothing was computed and no time measured: {} kernels not run, {} library calls not "
      "computed, {} "
      "reads of unknown values ({} bytes)",
      profile.name, account.kernels_not_run, account.library_calls_not_computed, account.unknown_reads,
      account.unknown_read_bytes);
  if (account.processes > 1) text += fmt::format(", in {} processes", account.processes);
  if (account.unknown_times > 0) text += fmt::format(", {} unknown times", account.unknown_times);
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
  if (arguments.dry.empty())
    throw UsageError("exec: expected --dry PROFILE[:N]; `strata devices` lists profiles");
  require_dry_gpu();
  const DryArgument dry = parse_dry_argument(arguments.dry);
  const std::int64_t devices = device_count(dry);
  const config::DeviceProfile profile = config::load_device_profile(dry.profile);

  const std::string program = find_program(arguments.command.front());
  if (program.empty()) {
    say(fmt::format("exec: there is no program '{}'", arguments.command.front()));
    return kNotFound;
  }
  if (const std::string reason = why_not_dry(program); !reason.empty()) throw UsageError(reason);
  if (has_nvidia_gpu())
    say(fmt::format("this machine has a GPU; it is not used, for {} is dry", profile.key));

  const Scratch scratch;
  write_whole_file(scratch.path() / "profile", dry_profile_text(profile, devices));
  const int exit_code = run_program(program, arguments.command, dry_environment(scratch.path()));

  const DryAccount account = read_dry_accounts(scratch.path());
  say(account_text(profile, account));
  if (!arguments.account.empty())
    write_whole_file(arguments.account, dry_json(profile, devices, account) + '\n');
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
  command->add_option("--dry", arguments->dry,
                      "PROFILE[:N]: N GPUs of that kind, which compute nothing; see `strata devices`");
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
      "  strata exec --dry ./my-card.yaml --account dry.json -- ./trainer --steps 3");
  command->callback([arguments, &exit_code] { exit_code = exec_or_explain(*arguments); });
}

}  // namespace strata::cli
