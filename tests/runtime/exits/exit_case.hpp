// SPDX-License-Identifier: Apache-2.0
// The common start of every exit program: a run in argv[1], with the phase timer, in the middle of step 2.
#pragma once

#include <cstdint>

#include "strata/runtime/session.hpp"

namespace strata {

inline SessionOptions exit_case_options(char** argv) {
  SessionOptions options;
  options.name = "exit_case";
  options.directory = argv[1];
  options.plugin_path = {argv[2]};
  options.plugins = {{"phase_timer", {}, ""}};
  return options;
}

inline void run_into_step_two(Session& session) {
  session.begin_run();
  session.ready();
  for (std::uint64_t step = 0; step < 2; ++step) {
    session.begin_step(step, 1);
    session.end_phase(session.begin_phase(PhaseKind::kForward, "forward"));
    session.end_step({.optimizer_ran = true, .loss = 1.0, .tokens = 8});
  }
  session.begin_step(2, 1);
  session.begin_phase(PhaseKind::kBackward, "backward");
}

}  // namespace strata
