// SPDX-License-Identifier: Apache-2.0
// Damaged or inconsistent tables of Python stacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "host/analysis/analyse.hpp"
#include "host/analysis/facts/warning.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/report/terminal/stack_lines.hpp"
#include "host/report/words/warnings.hpp"
#include "tests/analysis/store_writer.hpp"
#include "tests/analysis/training_run.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::analysis {
namespace {

class HostilePythonStacks : public ::testing::Test {
 protected:
  HostilePythonStacks()
      : store_(testing::write_store(directory_.path(), testing::make_training_run({.steps = 1}).recording)) {
    damage(
        "CREATE TABLE allocator_tracer_event_stack (sequence INTEGER, stack INTEGER, chance REAL);"
        "CREATE TABLE allocator_tracer_stack_frame (stack INTEGER, position INTEGER, address INTEGER);"
        "CREATE TABLE torch_python_frame (frame INTEGER, function INTEGER, file INTEGER, line INTEGER);"
        "CREATE TABLE torch_python_stack (stack INTEGER, position INTEGER, frame INTEGER);"
        "CREATE TABLE torch_event_python_stack (sequence INTEGER, stack INTEGER);"
        "INSERT INTO string VALUES (900001, 'inner'), (900002, 'outer'), (900003, '/program/a.py');"
        "INSERT INTO allocator_tracer_stack_frame VALUES (-7, 0, 5000);"
        "INSERT INTO allocator_tracer_event_stack SELECT sequence, -7, 1.0 FROM allocator_tracer_event;"
        "INSERT INTO torch_python_frame VALUES (1, 900001, 900003, 11), (2, 900002, 900003, 22);"
        "INSERT INTO torch_python_stack VALUES (1, 1, 2), (1, 0, 1), (2, 0, 2);"
        // Half of the events under each stack.
        "INSERT INTO torch_event_python_stack SELECT sequence, 1 + sequence % 2 FROM "
        "allocator_tracer_event;");
  }

  void damage(const std::string& sql) { testing::run_sql(store_, sql); }
  Facts analysed() const { return analyse(directory_.path()); }

  // Whatever the rows contain, a report must result.
  void expect_a_report(std::string_view warning = {}) const {
    const Facts facts = analysed();
    EXPECT_FALSE(report::stacks_at_peak(facts, 5, false, 80).empty());
    if (warning.empty()) return;
    EXPECT_TRUE(std::any_of(facts.warnings.begin(), facts.warnings.end(), [&](const Warning& said) {
      return report::warning_text(said).find(warning) != std::string::npos;
    })) << warning;
  }

  test::TemporaryFolder directory_;
  std::filesystem::path store_;
};

TEST_F(HostilePythonStacks, AreReadWhereTheyAreWell) {
  const Facts facts = analysed();
  ASSERT_EQ(facts.call_stacks.addresses.size(), 2u);  // one stack of addresses, under two of Python
  for (const TakenStack& taken : facts.call_stacks.taken) {
    const std::vector<PythonFrame>& frames = facts.call_stacks.python_frames(taken.stack);
    ASSERT_EQ(frames.size(), taken.sequence % 2 == 0 ? 2u : 1u) << taken.sequence;
    EXPECT_EQ(frames.front().function, taken.sequence % 2 == 0 ? "inner" : "outer");
    EXPECT_EQ(frames.back().line, 22u);
  }
  const std::string text = report::stacks_at_peak(facts, 5, false, 80);
  EXPECT_NE(text.find("inner  a.py:11"), std::string::npos) << text;
}

TEST_F(HostilePythonStacks, EventsUnderNone) {
  damage("DELETE FROM torch_event_python_stack WHERE stack = 2");
  const Facts facts = analysed();
  ASSERT_EQ(facts.call_stacks.addresses.size(), 2u);
  for (const TakenStack& taken : facts.call_stacks.taken)
    EXPECT_EQ(facts.call_stacks.python_frames(taken.stack).empty(), taken.sequence % 2 != 0);
}

TEST_F(HostilePythonStacks, StacksThatAreNotThere) {
  damage("DELETE FROM torch_python_stack WHERE stack = 2");
  expect_a_report("events refer to a Python stack that is missing from the store");
}

TEST_F(HostilePythonStacks, FramesThatAreNotThere) {
  damage("DELETE FROM torch_python_frame WHERE frame = 2");
  expect_a_report("refer to lines that are missing from the store");
}

TEST_F(HostilePythonStacks, PositionsBeyondAnyStack) {
  damage("UPDATE torch_python_stack SET position = 4294967295 WHERE position = 1");
  expect_a_report("position beyond the largest depth of a stack");
}

TEST_F(HostilePythonStacks, FramesThatAreMissingOrTwice) {
  damage(
      "UPDATE torch_python_stack SET position = 9 WHERE position = 1;"
      "INSERT INTO torch_python_stack SELECT * FROM torch_python_stack");
  expect_a_report();
  for (const auto& stack : analysed().call_stacks.python) EXPECT_LE(stack.size(), 2u);
}

TEST_F(HostilePythonStacks, TablesThatAreMissing) {
  damage("DROP TABLE torch_python_frame");
  expect_a_report();
  EXPECT_TRUE(analysed().call_stacks.python.empty());
}

TEST_F(HostilePythonStacks, AnotherTypeIsRefused) {
  damage("UPDATE torch_python_frame SET line = 'here'");
  EXPECT_THROW(analysed(), RunError);
}

}  // namespace
}  // namespace strata::analysis
