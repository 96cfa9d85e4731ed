// SPDX-License-Identifier: Apache-2.0
// What `strata exec` records of a program, and what its reader gets when the program has ended.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/exec/processes.hpp"
#include "host/cli/results.hpp"
#include "host/cli/run_directory.hpp"
#include "host/config/run_config.hpp"

namespace strata::cli {

// How sessions of the program are to be opened, in the run's folder.
inline constexpr const char* kSettingsFile = "exec.json";

struct RecordingArguments {
  std::string plugins;                // empty: the default; "none": nothing is recorded
  std::vector<std::string> settings;  // KEY=VALUE of the run's YAML
  std::string out;
  bool layers = false;  // of a Python program's modules each forward is told
  bool detail = false;  // all tables at the end, not the short report
};

class ProgramRecording {
 public:
  // `name`: the run's, as the YAML takes it. `device`: the YAML's, of a dry run; empty: what the machine has.
  // Throws as load_config does, and UsageError where a setting is none of a program that is not ours, or the
  // folder is taken.
  ProgramRecording(const RecordingArguments& arguments, const std::string& name, const std::string& device);

  // Over the program's own environment, without LD_PRELOAD. Makes the run's folder.
  std::map<std::string, std::string> begin();
  // Of the run, once `begin` has made it.
  const std::filesystem::path& folder() const { return directory_->path(); }
  // What is to be preloaded.
  static std::filesystem::path preload_library();

  // The program has ended. Writes and prints what was recorded to standard error, of each rank; says so where
  // nothing was.
  void end(const CommandEnd& end);

 private:
  config::RunConfig config_;
  RecordingArguments arguments_;
  std::optional<RunDirectory> directory_;
};

// The same of any such run's folder; `printed` is of rank 0. False, and nothing said, where nothing was
// recorded.
bool report_program(const std::filesystem::path& run_directory, const CommandEnd& end, Printed printed);

}  // namespace strata::cli
