// SPDX-License-Identifier: Apache-2.0
// Records a program for `strata exec`, and reports when it has ended.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/processes.hpp"
#include "host/cli/results.hpp"
#include "host/cli/run_directory.hpp"
#include "host/config/run_config.hpp"

namespace strata::cli {

// The settings for the program's sessions, in the run's folder.
inline constexpr const char* kSettingsFile = "exec.json";

struct RecordingArguments {
  std::string plugins;                // empty: the default; "none": no recording
  std::vector<std::string> settings;  // KEY=VALUE of the run's YAML
  std::string out;
  bool absent_peers = false;  // the program is one rank of a job whose other ranks are absent
  bool layers = false;        // record each forward of a Python program's modules
  bool detail = false;        // print all tables at the end instead of the short report
};

class ProgramRecording {
 public:
  // `name`: the run's name, valid in YAML. `device`: the YAML value for a dry run; empty: the machine's
  // devices. Throws like load_config, and UsageError if a setting does not apply to a user's program, or if
  // the folder is not free.
  ProgramRecording(const RecordingArguments& arguments, const std::string& name, const std::string& device);

  // Creates the run's folder. Returns variables to add to the program's environment, without LD_PRELOAD.
  std::map<std::string, std::string> begin();
  // The run's folder, after `begin` has created it.
  const std::filesystem::path& folder() const { return directory_->path(); }
  // The library to preload.
  static std::filesystem::path preload_library();

  // Call when the program has ended. Writes the results and prints them to standard error, for each rank;
  // says so if nothing was recorded.
  void end(const CommandEnd& end);

 private:
  config::RunConfig config_;
  RecordingArguments arguments_;
  std::optional<RunDirectory> directory_;
};

// The same for any such run's folder; `printed` applies to rank 0. Returns false without a message if nothing
// was recorded.
bool report_program(const std::filesystem::path& run_directory, const CommandEnd& end, Printed printed);

}  // namespace strata::cli
