// SPDX-License-Identifier: Apache-2.0
// A program that has come as far as its first use of torch, of which each trial is a fork
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
  // Starts it. `variables`: of the dry GPU and of what is preloaded, but for those that `run` gives a trial.
  TrialServer(const std::string& program, const std::vector<std::string>& command, Variables variables,
              const std::filesystem::path& folder);
  // Ends it, and trials that still run.
  ~TrialServer();
  TrialServer(const TrialServer&) = delete;
  TrialServer& operator=(const TrialServer&) = delete;

  // Waits until trials can be run. False: they cannot, for the program ended before, or has more threads or
  // processes than can be forked. From any process that was forked from this one.
  bool is_ready() const;

  struct End {
    int exit_code = 0;             // 128 + the signal that ended it
    std::uint64_t host_bytes = 0;  // of memory, at most
  };

  // A trial, whose output goes into that file. From any process that was forked from this one; several may
  // run at once. Throws std::runtime_error when the server is gone, and TrialInterrupted where an
  // InterruptGuard has one.
  End run(const Variables& variables, const std::filesystem::path& output) const;

 private:
  std::filesystem::path socket_;
  pid_t process_ = -1, owner_ = -1;
  int end_ = -1;  // readable when the process has ended
};

}  // namespace strata::cli
