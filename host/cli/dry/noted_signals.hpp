// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its like, taken note of and not obeyed: who tries something ends it first, and cleans up.
#pragma once

#include <array>
#include <csignal>

namespace strata::cli {

// While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT end nothing. One at a time in a process.
class NotedSignals {
 public:
  NotedSignals();
  ~NotedSignals();
  NotedSignals(const NotedSignals&) = delete;
  NotedSignals& operator=(const NotedSignals&) = delete;

  // The number of the last that came; 0: none has.
  static int last();

 private:
  static constexpr std::array<int, 4> kOfUser = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::array<struct sigaction, kOfUser.size()> before_{};
};

}  // namespace strata::cli
