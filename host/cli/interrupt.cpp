#include "host/cli/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>

#include "host/cli/exit_code.hpp"

namespace strata::cli {
namespace {

std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free, "set in a signal handler");

constexpr std::array kNoted{SIGINT, SIGTERM};

void note(int number) {
  int none = 0;
  if (noted.compare_exchange_strong(none, number)) return;
  _exit(kSignalBase + number);
}

void set_action(int number, void (*action)(int)) {
  struct sigaction changed {};
  changed.sa_handler = action;
  sigemptyset(&changed.sa_mask);
  changed.sa_flags = SA_RESTART;
  sigaction(number, &changed, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  noted = 0;
  for (const int number : kNoted) set_action(number, note);
  set_action(SIGPIPE, SIG_IGN);
}

InterruptGuard::~InterruptGuard() {
  for (const int number : kNoted) set_action(number, SIG_DFL);
  set_action(SIGPIPE, SIG_DFL);
}

const std::atomic<int>& InterruptGuard::signal() {
  return noted;
}

}  // namespace strata::cli
