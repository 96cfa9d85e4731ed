// SPDX-License-Identifier: Apache-2.0
// The terminal while something is drawn on it again and again: a screen of its own, keys without a return.
#pragma once

#include <termios.h>

#include <chrono>
#include <string_view>

namespace strata::cli {

class Screen {
 public:
  // Standard output must be a terminal; keys are read where standard input is one too.
  Screen();
  // Gives back the screen as it was.
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Draws over what was drawn, as many of the lines as there is room for.
  void show(std::string_view text) const;

  // Waits, and returns true at once when the key is pressed. A signal ends the wait.
  bool wait_for_key(char key, std::chrono::milliseconds time) const;

 private:
  bool has_keys_ = false;
  termios before_{};
};

}  // namespace strata::cli
