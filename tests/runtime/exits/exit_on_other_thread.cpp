// SPDX-License-Identifier: Apache-2.0
// Another thread calls exit() while the loop thread continues to emit:
//
//   loop thread                        other
//   begins and ends phases
//                                 exit(): the exit handler closes the gate, waits, ends the run
//   its events are ignored        the process ends
#include <cstdlib>
#include <thread>

#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  strata::Session session(strata::exit_case_options(argv));
  strata::run_into_step_two(session);
  std::thread([] { std::exit(3); }).detach();
  while (true) session.end_phase(session.begin_phase(strata::PhaseKind::kForward, "forward"));
}
