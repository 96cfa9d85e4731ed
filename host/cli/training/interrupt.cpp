// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/interrupt.hpp"

#include <signal.h>

#include <array>

namespace strata::cli {
namespace {

std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free, "set in a signal handler");

constexpr std::array kNumbers{SIGINT, SIGTERM, SIGPIPE};
std::array<struct sigaction, kNumbers.size()> before;

void note(int number) {
  int none = 0;
  if (noted.compare_exchange_strong(none, number)) return;
  // Delivered once this handler returns: a script's shell learns that its child died of it, and stops too.
  ::signal(number, SIG_DFL);
  raise(number);
}

// Signals ignored by the parent stay ignored: a background job of a script survives its Ctrl-C.
void set_action(int number, void (*action)(int), struct sigaction& inherited) {
  struct sigaction changed {};
  changed.sa_handler = action;
  sigemptyset(&changed.sa_mask);
  changed.sa_flags = SA_RESTART;
  sigaction(number, nullptr, &inherited);
  if (inherited.sa_handler != SIG_IGN) sigaction(number, &changed, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  noted = 0;
  for (std::size_t i = 0; i < kNumbers.size(); ++i)
    set_action(kNumbers[i], kNumbers[i] == SIGPIPE ? SIG_IGN : note, before[i]);
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kNumbers.size(); ++i) sigaction(kNumbers[i], &before[i], nullptr);
}

const std::atomic<int>& InterruptGuard::signal() {
  return noted;
}

}  // namespace strata::cli
