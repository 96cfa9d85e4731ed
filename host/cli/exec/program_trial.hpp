// SPDX-License-Identifier: Apache-2.0
// Some steps of a program of the user's own on a dry GPU, in processes of its own that leave nothing behind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/cli/dry/trial_output.hpp"
#include "host/cli/exec/trial_server.hpp"
#include "host/what_if/trial_report.hpp"

namespace strata::cli {

struct ProgramTrialRequest {
  std::vector<std::string> command;
  std::string device;      // the YAML's value of `device`: dry
  std::int64_t steps = 2;  // of each of its optimizers, after which a Python program is ended
  // The rest is of trials of changes, which take notes.
  bool takes_notes = false;
  std::vector<std::string> changes;     // by name, of python/strata_profiler/trial; none: as it is
  std::filesystem::path facts;          // notes of the program as it is; empty: these are to be those
  std::string allocator_settings = {};  // for PYTORCH_CUDA_ALLOC_CONF, after what the environment has there
  const TrialServer* server = nullptr;  // of the same program, on the same card; null: it is started anew
};

struct ProgramTrial {
  what_if::TrialReport report;   // of several processes that of the one that needs most
  std::string notes;             // of that one, a JSON object; empty: it took none
  std::uint64_t host_bytes = 0;  // of memory, by the process that took most of it
};

// What runs the program to its end on the same card, for somebody who wants to look at it.
std::string program_trial_command(const ProgramTrialRequest& request);

// Of `request`, for its `server`; its files lie in `folder`. Null: the program's trials cannot be forked from
// one process. Throws UsageError where the program cannot be started.
std::unique_ptr<TrialServer> start_trial_server(const ProgramTrialRequest& request,
                                                const std::filesystem::path& folder);

// Throws UsageError where the program cannot be started, std::runtime_error where it fails for anything but
// memory, takes none of the card's, or a change could not be made, and TrialInterrupted. This process must
// have no other thread.
ProgramTrial run_program_trial(const ProgramTrialRequest& request);

}  // namespace strata::cli
