// SPDX-License-Identifier: Apache-2.0
// The terminal in full-screen mode: an alternate screen, and keys without Return.
#pragma once

#include <termios.h>

#include <chrono>
#include <string_view>

namespace strata::cli {

class Screen {
 public:
  // Standard output must be a terminal; keys are read if standard input is one too.
  Screen();
  // Restores the previous screen.
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Draws over the previous content, as many lines as fit.
  void show(std::string_view text) const;

  // Waits; returns true as soon as the key is pressed. A signal ends the wait.
  bool wait_for_key(char key, std::chrono::milliseconds time) const;

 private:
  bool has_keys_ = false;
  termios before_{};
};

}  // namespace strata::cli
