// SPDX-License-Identifier: Apache-2.0
#include "host/cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace strata::cli {
namespace {

constexpr int kColumnsWithoutTerminal = 80;

std::string& speaker() {
  static std::string name = "strata";
  return name;
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

bool is_terminal(int descriptor) {
  return isatty(descriptor) == 1 && variable("TERM") != "dumb";
}

bool wants_colour(int descriptor) {
  return is_terminal(descriptor) && variable("NO_COLOR").empty();
}

int columns(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) return size.ws_col;
  const std::string_view wanted = variable("COLUMNS");
  int columns = kColumnsWithoutTerminal;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), columns);
  const bool is_width = error == std::errc() && end == wanted.data() + wanted.size() && columns > 0;
  return is_width ? columns : kColumnsWithoutTerminal;
}

void complain(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void say(std::string_view line) {
  complain(fmt::format("{}: {}\n", speaker(), line));
}

void speak_as(std::string_view who) {
  speaker() = who.empty() ? "strata" : fmt::format("strata: {}", who);
}

void print(std::string_view text) {
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::fflush(stdout) != 0) {
    throw std::runtime_error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
}

}  // namespace strata::cli
