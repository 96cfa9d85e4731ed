// SPDX-License-Identifier: Apache-2.0
#include "host/cli/dry/noted_signals.hpp"

#include <cstddef>

namespace strata::cli {
namespace {

volatile std::sig_atomic_t noted = 0;

}  // namespace

NotedSignals::NotedSignals() {
  for (std::size_t index = 0; index < kOfUser.size(); ++index) {
    struct sigaction action {};
    action.sa_handler = [](int signal) { noted = signal; };
    sigaction(kOfUser[index], &action, &before_[index]);
  }
}

NotedSignals::~NotedSignals() {
  for (std::size_t index = 0; index < kOfUser.size(); ++index)
    sigaction(kOfUser[index], &before_[index], nullptr);
}

int NotedSignals::last() {
  return noted;
}

}  // namespace strata::cli
