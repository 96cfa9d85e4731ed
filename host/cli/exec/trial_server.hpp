// SPDX-License-Identifier: Apache-2.0
// A program that has run to its first use of torch; each trial is a fork of it
// (python/strata_profiler/trial/server.py).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/cli/exec/program_environment.hpp"

namespace strata::cli {

class TrialServer {
 public:
  // Starts it. `variables`: for the dry GPU and the preloaded libraries, except those that `run` sets for a
  // trial.
  TrialServer(const std::string& program, const std::vector<std::string>& command, Variables variables,
              const std::filesystem::path& folder);
  // Ends it, and running trials.
  ~TrialServer();
  TrialServer(const TrialServer&) = delete;
  TrialServer& operator=(const TrialServer&) = delete;

  // Waits until trials can be run. False if they cannot, because the program ended before, or has threads or
  // processes that prevent a fork. May be called from any process forked from this one.
  bool is_ready() const;

  struct End {
    int exit_code = 0;             // 128 + the signal that ended it
    std::uint64_t host_bytes = 0;  // peak memory
  };

  // Runs a trial with its output in that file. May be called from any process forked from this one; several
  // may run at once. Throws std::runtime_error if the server is gone, and TrialInterrupted if an
  // InterruptGuard has noted a signal.
  End run(const Variables& variables, const std::filesystem::path& output) const;

 private:
  std::filesystem::path socket_;
  pid_t process_ = -1, owner_ = -1;
  int end_ = -1;  // becomes readable when the process has ended
};

}  // namespace strata::cli
