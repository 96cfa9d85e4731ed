// SPDX-License-Identifier: Apache-2.0
// Runs some steps of the user's program on a dry GPU, in separate processes without leaving files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/cli/dry/trial_output.hpp"
#include "host/cli/exec/trial_server.hpp"
#include "host/cli/job/job.hpp"
#include "host/what_if/trial_report.hpp"

namespace strata::cli {

struct ProgramTrialRequest {
  std::vector<std::string> command;
  std::string device;      // the YAML value of `device`: dry
  std::int64_t steps = 2;  // of each of its optimizers, after which a Python program is ended
  JobArguments job = {};   // of which the program is some ranks; else all that the command starts
  // The rest is for trials of changes, which take notes.
  bool takes_notes = false;
  std::vector<std::string> changes;  // names from python/strata_profiler/trial; empty: unchanged
  std::filesystem::path facts;       // notes of the unchanged program; empty: this trial makes them
  std::string allocator_settings =
      {};  // for PYTORCH_CUDA_ALLOC_CONF, appended to the value in the environment
  const TrialServer* server = nullptr;  // for the same program on the same card; null: it is started anew
};

struct ProgramTrial {
  what_if::TrialReport report;   // of the process that needs the most memory
  std::string notes;             // of that process, a JSON object; empty: none
  std::uint64_t host_bytes = 0;  // peak memory of the process that took the most
};

// The command that runs the program to its end on the same card, for users who want to inspect it.
std::string program_trial_command(const ProgramTrialRequest& request);

// For the `server` of `request`; its files are in `folder`. Null if the program's trials cannot be forked
// from one process. Throws UsageError if the program cannot be started.
std::unique_ptr<TrialServer> start_trial_server(const ProgramTrialRequest& request,
                                                const std::filesystem::path& folder);

// Throws UsageError if the program cannot be started, std::runtime_error if it fails for any other reason
// than memory, uses no device memory, or a change could not be made, and TrialInterrupted. This process must
// have no other thread.
ProgramTrial run_program_trial(const ProgramTrialRequest& request);

}  // namespace strata::cli
