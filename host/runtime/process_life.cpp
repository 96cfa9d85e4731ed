// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/process_life.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

namespace strata {
namespace {

std::atomic<ProcessLife*> current{nullptr};

void at_exit() {
  if (ProcessLife* session = current.exchange(nullptr); session != nullptr) session->process_exiting();
}

void in_child() {
  if (ProcessLife* session = current.exchange(nullptr); session != nullptr) session->forked_child();
}

[[noreturn]] void refuse() {
  throw std::logic_error("a session is already open in this process; end and destroy it first");
}

}  // namespace

void claim_process(ProcessLife& session) {
  ProcessLife* none = nullptr;
  if (!current.compare_exchange_strong(none, &session)) refuse();
  static std::once_flag forks_watched;
  std::call_once(forks_watched, [] { pthread_atfork(nullptr, nullptr, in_child); });
  // Once for each session: handlers run in the reverse order of registration, and each session's must come
  // before the destructors of the plugins that it loaded.
  std::atexit(at_exit);
}

void expect_unclaimed_process() {
  if (current.load() != nullptr) refuse();
}

void release_process(const ProcessLife& session) noexcept {
  ProcessLife* mine = const_cast<ProcessLife*>(&session);
  current.compare_exchange_strong(mine, nullptr);
}

}  // namespace strata
