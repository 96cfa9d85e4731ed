// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "host/report/text.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Facts;

TEST(DiffTable, KeepsToItsWidthWhateverTheNames) {
  const Facts training = testing::simulate({}), larger = testing::simulate({.layers = 24, .width = 1024});
  const std::vector<analysis::SettingChange> settings{
      {testing::hostile_names()[0], "", std::string(5000, 'x')}};
  for (const Facts* base : {&training, &larger}) {
    for (const Facts& now : {testing::hostile_facts(), training, Facts{}}) {
      for (const int width : {80, 100, 131, 200}) {
        std::istringstream text(diff_table(diff_runs(*base, now, settings, {}), 5, false, width));
        for (std::string line; std::getline(text, line);) {
          EXPECT_LE(columns(line), width) << line;
          EXPECT_EQ(printable(line), line);
          EXPECT_FALSE(line.ends_with(' ')) << line;
        }
      }
    }
  }
}

TEST(DiffTable, ColourAddsNothingElse) {
  const Facts training = testing::simulate({}), larger = testing::simulate({.layers = 24});
  const auto diff = diff_runs(training, larger, {}, {analysis::Gate("peak_allocated>+1%")});
  std::string coloured = diff_table(diff, 5, true, 100);
  for (std::size_t at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b'))
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, diff_table(diff, 5, false, 100));
}

}  // namespace
}  // namespace strata::report
