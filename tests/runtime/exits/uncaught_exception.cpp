// SPDX-License-Identifier: Apache-2.0
// No handler: std::terminate, which unwinds nothing and runs no exit handler.
#include <stdexcept>

#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  strata::Session session(strata::exit_case_options(argv));
  strata::run_into_step_two(session);
  throw std::runtime_error("loss is not a number");
}
