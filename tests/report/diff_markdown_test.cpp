// SPDX-License-Identifier: Apache-2.0
#include "host/report/markdown/diff_markdown.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Facts;

// Bars that end a cell.
long cells(const std::string& line) {
  long bars = 0;
  for (std::size_t at = 0; at != line.size(); ++at)
    if (line[at] == '|' && (at == 0 || line[at - 1] != '\\')) ++bars;
  return bars - 1;
}

TEST(DiffMarkdown, EveryRowHasTheCellsOfItsTableWhateverTheNames) {
  const Facts training = testing::simulate({});
  for (const Facts& now : {testing::simulate({.layers = 24}), testing::hostile_facts(), Facts{}}) {
    std::istringstream text(diff_markdown({diff_runs(training, now, {}, {})}, 100));
    long rows = 0;
    for (std::string line; std::getline(text, line);) {
      if (!line.starts_with('|')) continue;
      ++rows;
      EXPECT_EQ(cells(line), 5) << line;
      EXPECT_EQ(std::ranges::count(line, '`') % 2, 0) << line;
    }
    EXPECT_GT(rows, 10);
  }
}

TEST(DiffMarkdown, AGateThatFailsStandsOut) {
  const Facts training = testing::simulate({}), larger = testing::simulate({.layers = 24});
  const std::vector<analysis::Gate> gates{analysis::Gate("peak_allocated>+1%"),
                                          analysis::Gate("peak_allocated<1B")};
  const std::string text = diff_markdown({diff_runs(training, larger, {}, gates)}, 5);
  EXPECT_NE(text.find("- **FAIL** `peak_allocated>+1%`: "), std::string::npos) << text;
  EXPECT_NE(text.find("- pass `peak_allocated<1B`: "), std::string::npos) << text;
}

TEST(DiffMarkdown, EachComparisonHasItsTables) {
  const Facts training = testing::simulate({});
  const auto diff = diff_runs(training, training, {}, {});
  const std::string one = diff_markdown({diff}, 5);
  EXPECT_EQ(diff_markdown({diff, diff}, 5), one + "\n---\n\n" + one);
}

}  // namespace
}  // namespace strata::report
