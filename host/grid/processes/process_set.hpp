// SPDX-License-Identifier: Apache-2.0
// Programs that are started, each in a process group of its own, and waited for together.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace strata::grid {

struct Launch {
  std::vector<std::string> words;                     // the program's whole path first
  std::map<std::string, std::string> variables = {};  // over our own environment
  std::filesystem::path output;                       // what it says: standard output and error
  std::filesystem::path error = {};                   // standard error apart, where not empty
};

// While it lives, signals that would end this process are taken by `interruption` instead, and programs that
// it started die with this process, also when that is killed. One at a time; this process has one thread.
class ProcessSet {
 public:
  ProcessSet();
  // Kills what still runs, and waits for it.
  ~ProcessSet();
  ProcessSet(const ProcessSet&) = delete;
  ProcessSet& operator=(const ProcessSet&) = delete;

  // The process's number, which is its group's too. Throws WriteError where `output` cannot be written, and
  // std::system_error where there can be no more processes.
  pid_t start(const Launch& launch);

  struct Ended {
    pid_t pid = 0;
    std::optional<int> exit_code, signal;  // one of them
  };
  // Those that have ended, after at most `limit`; sooner when one ends or a signal comes.
  std::vector<Ended> wait(std::chrono::milliseconds limit);

  // To the program and all that it started.
  void tell(pid_t pid, int signal) const;

  // The last signal that asked this process to end, once each.
  std::optional<int> interruption();

 private:
  std::vector<Ended> reap();

  sigset_t signals_{}, before_{};
  struct sigaction size_action_ {};
  std::vector<pid_t> running_;
  std::optional<int> interruption_;
};

}  // namespace strata::grid
