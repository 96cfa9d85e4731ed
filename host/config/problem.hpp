// SPDX-License-Identifier: Apache-2.0
// Errors in a configuration with their places. All errors in a file are reported at once.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace strata::config {

// Where a value was written: a position in the file, or a command line override.
struct Place {
  std::string source;  // the file as named by the user, or "command line: key=value"
  int line = 0;        // from 1; 0: the file as a whole, or the command line
  int column = 0;      // from 1
  bool command_line = false;

  // "configs/quickstart.yaml:12:3"
  std::string text() const;

  // The folder in which relative names written here start: that of the file, or the current one.
  std::filesystem::path folder() const;
};

struct Problem {
  Place place;
  std::string key;  // dotted; empty: the whole file, or a message that contains it
  std::string message;

  // "place: key: message", one line. Without place and key it is only the message.
  std::string text() const;
};

// By place: the file from top to bottom, then the command line.
void sort_problems(std::vector<Problem>& problems);

class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace strata::config
