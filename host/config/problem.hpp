// SPDX-License-Identifier: Apache-2.0
// What is wrong with a configuration, and where. All problems of one file are reported at once.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace strata::config {

// Where a value was written: a spot in the file, or one override of the command line.
struct Place {
  std::string source;  // the file as it was named, or "command line: key=value"
  int line = 0;        // from 1; 0: the file as a whole, or the command line
  int column = 0;      // from 1
  bool command_line = false;

  // "configs/quickstart.yaml:12:3"
  std::string text() const;

  // Where relative names start that were written here: beside the file, or the current folder.
  std::filesystem::path folder() const;
};

struct Problem {
  Place place;
  std::string key;  // dotted; empty: the file as a whole, or a message that names it
  std::string message;

  // "place: key: message", one line. A problem without place or key is its message.
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
