// SPDX-License-Identifier: Apache-2.0
#include "host/cli/top/screen.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "host/cli/terminal.hpp"

namespace strata::cli {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";  // the other screen, no cursor
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr int kLinesOfUnknownTerminal = 24;

int lines_of_terminal() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return kLinesOfUnknownTerminal;
  return size.ws_row;
}

}  // namespace

Screen::Screen() {
  has_keys_ = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &before_) == 0;
  if (has_keys_) {
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  print(kEnter);
}

Screen::~Screen() {
  if (has_keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  // Errors no longer matter here.
  const ssize_t written = write(STDOUT_FILENO, kLeave.data(), kLeave.size());
  static_cast<void>(written);
}

void Screen::show(std::string_view text) const {
  std::string drawn = "\x1b[H";
  for (int line = lines_of_terminal(); line > 0 && !text.empty(); --line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    drawn += text.substr(0, end);
    drawn += "\x1b[K";
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line > 1 && !text.empty()) drawn += '\n';
  }
  print(drawn + "\x1b[J");
}

bool Screen::wait_for_key(char key, std::chrono::milliseconds time) const {
  const auto until = std::chrono::steady_clock::now() + time;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd input{.fd = has_keys_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0};
    if (poll(&input, 1, static_cast<int>(left.count())) <= 0) return false;
    char pressed = 0;
    if (read(STDIN_FILENO, &pressed, 1) != 1) return true;  // the terminal is gone
    if (pressed == key) return true;
  }
}

}  // namespace strata::cli
