// SPDX-License-Identifier: Apache-2.0
// A table of text: a name on the left that takes what room there is, and numbers on the right.
#pragma once

#include <string>
#include <vector>

#include "host/report/terminal_style.hpp"

namespace strata::report {

class ColumnTable {
 public:
  // `headings` of the name and of each number.
  explicit ColumnTable(std::vector<std::string> headings) : headings_(std::move(headings)) {}

  // As many cells as headings. The name comes from a stranger's program.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool is_empty() const { return rows_.empty(); }

  // Whole lines of at most `style.width` columns; the name has 18 of them at least, and what then finds no
  // room is left out from the right.
  std::string text(const TerminalStyle& style) const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace strata::report
