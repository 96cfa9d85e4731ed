// SPDX-License-Identifier: Apache-2.0
// main() ends only its own thread, while a session that is never destroyed is in a run:
//
//   main                    other                     the store's writer
//   pthread_exit()
//                           ends some time later
//                                                     sees that no other thread is left, and ends
//   the process ends with its last thread: exit(0), with the session's exit handler
#include <pthread.h>

#include <chrono>
#include <thread>

#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  static auto& session = *new strata::Session(strata::exit_case_options(argv));
  strata::run_into_step_two(session);
  std::thread([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }).detach();
  pthread_exit(nullptr);
}
