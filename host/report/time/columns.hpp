// SPDX-License-Identifier: Apache-2.0
// A text table: a name on the left that uses the remaining width, and numbers on the right.
#pragma once

#include <string>
#include <vector>

#include "host/report/terminal_style.hpp"

namespace strata::report {

class ColumnTable {
 public:
  // `headings` of the name and of each number.
  explicit ColumnTable(std::vector<std::string> headings) : headings_(std::move(headings)) {}

  // As many cells as headings. The name is untrusted.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool is_empty() const { return rows_.empty(); }

  // Whole lines of at most `style.width` columns. The name has at least 18; columns that do not fit are
  // omitted from the right.
  std::string text(const TerminalStyle& style) const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace strata::report
