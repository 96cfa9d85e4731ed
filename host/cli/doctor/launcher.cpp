// SPDX-License-Identifier: Apache-2.0
#include "host/cli/doctor/launcher.hpp"

// Whether a launcher hands on what `strata exec` needs: a program of ours, which it starts, answers with what
// reached it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

#include "host/cli/child_process.hpp"
#include "host/cli/exec/recording.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/drop_in/settings.hpp"
#include "host/report/shell_word.hpp"

namespace strata::cli {
namespace {

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

}  // namespace

Finding check_launcher(const std::string& launcher) {
  try {
    return look_at(launcher);
  } catch (const std::exception& error) {
    return {.name = "launcher", .verdict = Verdict::kWarning, .detail = error.what()};
  }
}

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

}  // namespace strata::cli
