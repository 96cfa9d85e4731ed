// SPDX-License-Identifier: Apache-2.0
// `strata doctor`: what works on this machine, what does not, and what to do about it.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "host/cli/child_process.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/doctor/check.hpp"
#include "host/cli/exec/recording.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/cli/terminal.hpp"
#include "host/drop_in/settings.hpp"
#include "host/report/shell_word.hpp"

namespace strata::cli {
namespace {

// For `strata doctor`: the answer of the program started by a launcher.
constexpr const char* kAnswerLauncherOption = "--answer-launcher";

namespace fs = std::filesystem;

constexpr const char* kPreload = "LD_PRELOAD";
constexpr std::array kVariables = {kPreload, drop_in::kAttachVariable, drop_in::kSettingsVariable};
constexpr const char* kMapped = "mapped";

// How to pass the environment on, by the launcher's name.
constexpr std::pair<std::string_view, std::string_view> kRemedies[] = {
    {"srun", "srun --export=ALL"},
    {"sbatch", "sbatch --export=ALL"},
    {"mpirun", "mpirun -x LD_PRELOAD -x STRATA_ATTACH -x STRATA_EXEC"},
    {"mpiexec", "mpiexec -x LD_PRELOAD -x STRATA_ATTACH -x STRATA_EXEC"},
    {"docker", "docker run -e LD_PRELOAD -e STRATA_ATTACH -e STRATA_EXEC, with Strata's folder mounted"},
};

std::string remedy_for(const std::string& launcher) {
  const std::string first = fs::path(launcher.substr(0, launcher.find(' '))).filename();
  std::string remedy =
      fmt::format("put strata exec after the launcher: {} strata exec -- python train.py", launcher);
  for (const auto& [name, words] : kRemedies) {
    if (first == name) remedy += fmt::format("; or {}", words);
  }
  return remedy;
}

std::map<std::string, std::string> answers_in(const fs::path& file) {
  std::map<std::string, std::string> answers;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) answers[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return answers;
}

Finding look_at(const std::string& launcher) {
  Finding finding{.name = "launcher"};
  const fs::path library = ProgramRecording::preload_library();
  const ScratchFolder scratch("strata-doctor");
  const fs::path answer = scratch.path() / "answer";
  const std::map<std::string, std::string> variables{
      {kPreload, library.string()}, {drop_in::kAttachVariable, "-"}, {drop_in::kSettingsVariable, "-"}};
  const std::string command = fmt::format("{} {} doctor {} {}", launcher,
                                          report::shell_word(fs::read_symlink("/proc/self/exe").string()),
                                          kAnswerLauncherOption, report::shell_word(answer.string()));
  const int exit_code = run_program("/bin/sh", {"sh", "-c", command}, variables);
  if (!fs::exists(answer)) {
    finding.verdict = Verdict::kWarning;
    finding.detail = fmt::format("`{}` ended with {} and started no program here", launcher, exit_code);
    finding.remedy =
        "give the launcher with all arguments that come before the program's name, such as \"srun -n 1\"";
    return finding;
  }
  const auto reached = answers_in(answer);
  std::vector<std::string> lost;
  for (const char* const variable : kVariables) {
    const auto found = reached.find(variable);
    if (found == reached.end() || found->second.find(variables.at(variable)) == std::string::npos)
      lost.emplace_back(variable);
  }
  if (lost.empty() && reached.contains(kMapped)) {
    finding.detail = fmt::format("`{}` passes on what strata exec needs", launcher);
    return finding;
  }
  finding.verdict = Verdict::kWarning;
  finding.detail = lost.empty()
                       ? fmt::format("under `{}` the system does not preload {}", launcher, library.string())
                       : fmt::format("`{}` does not pass on {}: strata exec before it would record nothing",
                                     launcher, fmt::join(lost, ", "));
  finding.remedy = remedy_for(launcher);
  return finding;
}

// `launcher`: shell words that can be followed by a program's name ("srun -n 1"). Starts it, waits for its
// end, and reports whether the environment from `strata exec` reaches a program started through it.
Finding check_launcher(const std::string& launcher) {
  try {
    return look_at(launcher);
  } catch (const std::exception& error) {
    return {.name = "launcher", .verdict = Verdict::kWarning, .detail = error.what()};
  }
}

// Writes the part of it that reached this process to that file, atomically. Throws std::runtime_error.
void answer_launcher(const fs::path& file) {
  std::string text;
  for (const char* const variable : kVariables) {
    if (const char* const value = std::getenv(variable); value != nullptr)
      text += fmt::format("{}={}\n", variable, value);
  }
  std::ifstream maps("/proc/self/maps");
  const std::string library = ProgramRecording::preload_library().filename();
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with("/" + library)) continue;
    text += fmt::format("{}=yes\n", kMapped);
    break;
  }
  write_whole_file(file, text);
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWarning:
      return "warning";
    case Verdict::kMissing:
      break;
  }
  return "missing";
}

namespace {

Findings check_everything() {
  Findings all;
  for (const Findings& part : {check_libraries(), check_storage("runs"), check_machine(), check_gpu(),
                               check_nvtx(), check_warm_up()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

bool blocks_runs(const Finding& finding) {
  return finding.needed && finding.verdict == Verdict::kMissing;
}

std::string coloured(Verdict verdict, bool colour) {
  std::string padded = fmt::format("{:<8}", to_string(verdict));
  if (!colour) return padded;
  constexpr const char* kGreen = "\x1b[32m";
  constexpr const char* kYellow = "\x1b[33m";
  constexpr const char* kRed = "\x1b[31m";
  const char* const start = verdict == Verdict::kOk ? kGreen : verdict == Verdict::kWarning ? kYellow : kRed;
  return fmt::format("{}{}\x1b[0m", start, padded);
}

const Finding* named(const Findings& findings, std::string_view name) {
  const auto found = std::ranges::find(findings, name, &Finding::name);
  return found == findings.end() ? nullptr : &*found;
}

// What can be recorded here, or the first problem that prevents runs, and the remedy.
std::string verdict(const Findings& findings) {
  if (const auto blocking = std::ranges::find_if(findings, blocks_runs); blocking != findings.end()) {
    return fmt::format("Not ready: {}: {}{}\n", blocking->name, blocking->detail,
                       blocking->remedy.empty() ? "" : fmt::format(". To do: {}", blocking->remedy));
  }
  const Finding* const torch = named(findings, "torch");
  const Finding* const gpus = named(findings, "GPU devices");
  const Finding* const dry = named(findings, "dry GPU");
  std::string text = fmt::format("Ready: torch {}; ", torch == nullptr ? "of the program" : torch->detail);
  if (gpus != nullptr && gpus->verdict == Verdict::kOk) {
    text += "GPUs: " + gpus->detail;
  } else if (dry != nullptr && dry->verdict == Verdict::kOk) {
    text += "no GPU here: use --dry h100-80gb, or the CPU";
  } else {
    text += "no GPU and no dry GPU here: use the CPU";
  }
  return text + '\n';
}

std::string table(const Findings& findings, bool colour) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{} {:<24} {}\n", coloured(finding.verdict, colour), finding.name, finding.detail);
    if (!finding.remedy.empty()) text += fmt::format("{:33} -> {}\n", "", finding.remedy);
  }
  return text;
}

std::string json_text(const Findings& findings) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    checks.push_back({{"name", finding.name},
                      {"verdict", to_string(finding.verdict)},
                      {"detail", finding.detail},
                      {"remedy", finding.remedy},
                      {"needed", finding.needed}});
  }
  return nlohmann::ordered_json{{"schema", "strata.doctor/1"}, {"checks", checks}}.dump(2) + '\n';
}

struct DoctorArguments {
  bool json = false;
  std::string launcher;
  std::string answer;
};

int diagnose(const DoctorArguments& arguments) {
  if (!arguments.answer.empty()) {
    answer_launcher(arguments.answer);
    return kDone;
  }
  const Findings findings =
      arguments.launcher.empty() ? check_everything() : Findings{check_launcher(arguments.launcher)};
  if (arguments.json) {
    print(json_text(findings));
  } else {
    const std::string first = arguments.launcher.empty() ? verdict(findings) + '\n' : std::string();
    print(first + table(findings, wants_colour(STDOUT_FILENO)));
  }
  const auto blocking = std::ranges::count_if(findings, blocks_runs);
  if (blocking == 0) return kDone;
  say(fmt::format("no run can start here: {} required parts are missing", blocking));
  return kFailed;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* const command =
      app.add_subcommand("doctor", "Check what works on this machine, what does not, and why");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->add_option("--launcher", arguments->launcher,
                      "Run this launcher and check whether strata exec can record a program that it starts");
  command->add_option(kAnswerLauncherOption, arguments->answer)->group("");  // sent by a launcher check
  command->footer(
      "Exit code: 0 if a run can start here, else 1.\n\n"
      "Examples:\n"
      "  strata doctor\n"
      "  strata doctor --launcher 'srun -n 1'\n"
      "  strata doctor --json | jq '.checks[] | select(.verdict != \"ok\")'");
  command->callback([arguments, &exit_code] { exit_code = diagnose(*arguments); });
}

}  // namespace strata::cli
