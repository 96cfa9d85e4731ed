// SPDX-License-Identifier: Apache-2.0
// Programs that are started, each in its own process group, and waited for together.
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
  std::vector<std::string> words;                     // first the program's absolute path
  std::map<std::string, std::string> variables = {};  // added to our own environment
  std::filesystem::path output;                       // file for standard output and error
  std::filesystem::path error = {};                   // separate file for standard error, if not empty
  std::filesystem::path folder = {};                  // to start in; empty: the current one
};

// While it exists, signals that would end this process are returned by `interruption` instead, and its
// programs die with this process, even if that is killed. One at a time; this process has one thread.
class ProcessSet {
 public:
  ProcessSet();
  // Kills running programs and waits for them.
  ~ProcessSet();
  ProcessSet(const ProcessSet&) = delete;
  ProcessSet& operator=(const ProcessSet&) = delete;

  // Returns the pid, which is also that of its group. Throws WriteError if `output` cannot be written, and
  // std::system_error if no process can be created.
  pid_t start(const Launch& launch);

  struct Ended {
    pid_t pid = 0;
    std::optional<int> exit_code, signal;  // one of them is set
  };
  // Programs that have ended, after at most `limit`; sooner if one ends or a signal arrives.
  std::vector<Ended> wait(std::chrono::milliseconds limit);

  // Sends a signal to the program and everything it started.
  void tell(pid_t pid, int signal) const;

  // The last signal that asked this process to end; each is returned once.
  std::optional<int> interruption();

 private:
  std::vector<Ended> reap();

  sigset_t signals_{}, before_{};
  struct sigaction size_action_ {};
  std::vector<pid_t> running_;
  std::optional<int> interruption_;
};

}  // namespace strata::grid
