// SPDX-License-Identifier: Apache-2.0
// The run is ended, the session destroyed, main returns.
#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  strata::Session session(strata::exit_case_options(argv));
  strata::run_into_step_two(session);
  session.end_run(strata::RunEnd::kDone);
  return 0;
}
