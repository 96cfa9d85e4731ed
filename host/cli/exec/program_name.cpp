// SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec/program_name.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "host/config/checks/checks.hpp"
#include "host/report/shell_word.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

// A file whose name without extension is the run's name.
fs::path named(const std::vector<std::string>& command) {
  const auto script = std::ranges::find_if(
      command, [](const std::string& word) { return fs::path(word).extension() == ".py"; });
  if (script != command.end()) return *script;
  const bool is_python = fs::path(command.front()).filename().string().starts_with("python");
  const auto option = std::ranges::find(command, "-m");
  if (is_python && command.end() - option > 1) {
    const std::string& module = *(option + 1);
    return module.substr(module.rfind('.') + 1) + ".py";
  }
  return command.front();
}

}  // namespace

std::string program_name(const std::vector<std::string>& command) {
  return config::default_name(named(command));
}

std::string what_was_meant(const std::vector<std::string>& command) {
  const std::string& word = command.front();
  if (word == "python") return "; activate the environment that has torch: source .venv/bin/activate";
  std::error_code ignored;
  if (!word.ends_with(".py") || !fs::is_regular_file(word, ignored)) return {};
  return "; to run a script, start it with python: -- python " + report::shell_line(command);
}

}  // namespace strata::cli
