// SPDX-License-Identifier: Apache-2.0
// Damaged or inconsistent tables of stacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "host/analysis/analyse.hpp"
#include "host/analysis/facts/warning.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/report/terminal/stack_lines.hpp"
#include "host/report/terminal/terminal.hpp"
#include "host/report/words/warnings.hpp"
#include "tests/analysis/store_writer.hpp"
#include "tests/analysis/training_run.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::analysis {
namespace {

class HostileStacks : public ::testing::Test {
 protected:
  HostileStacks()
      : store_(testing::write_store(directory_.path(), testing::make_training_run({.steps = 1}).recording)) {
    damage(
        "CREATE TABLE allocator_tracer_event_stack (sequence INTEGER, stack INTEGER, chance REAL);"
        "CREATE TABLE allocator_tracer_stack_frame (stack INTEGER, position INTEGER, address INTEGER);"
        "CREATE TABLE allocator_tracer_library (path INTEGER, build_id INTEGER, base INTEGER,"
        "  begin_address INTEGER, end_address INTEGER, modified_ns INTEGER);"
        "INSERT INTO string VALUES (900001, '/nowhere/at/all.so'), (900002, 'abcd');"
        "INSERT INTO allocator_tracer_library VALUES (900001, 900002, 4096, 4096, 8192, 5);"
        "INSERT INTO allocator_tracer_stack_frame VALUES (-7, 0, 5000), (-7, 1, 6000);"
        "INSERT INTO allocator_tracer_event_stack SELECT sequence, -7, 1.0 FROM allocator_tracer_event;");
  }

  void damage(const std::string& sql) { testing::run_sql(store_, sql); }
  Facts analysed() const { return analyse(directory_.path()); }

  // Whatever the rows contain, a report must result.
  void expect_a_report(std::string_view warning = {}) const {
    const Facts facts = analysed();
    EXPECT_FALSE(report::terminal_report(facts, false, 80).empty());
    EXPECT_FALSE(report::stacks_at_peak(facts, 5, false, 80).empty());
    if (warning.empty()) return;
    EXPECT_TRUE(std::any_of(facts.warnings.begin(), facts.warnings.end(), [&](const Warning& said) {
      return report::warning_text(said).find(warning) != std::string::npos;
    })) << warning;
  }

  test::TemporaryFolder directory_;
  std::filesystem::path store_;
};

TEST_F(HostileStacks, AreReadWhereTheyAreWell) {
  const Facts facts = analysed();
  ASSERT_EQ(facts.call_stacks.addresses.size(), 1u);
  EXPECT_EQ(facts.call_stacks.addresses[0], (std::vector<std::uint64_t>{5000, 6000}));
  ASSERT_FALSE(facts.blocks.empty());
  EXPECT_NE(facts.call_stacks.at(facts.blocks[0].birth_sequence), nullptr);
  EXPECT_EQ(facts.call_stacks.at(UINT64_MAX), nullptr);
  const std::string text = report::stacks_at_peak(facts, 5, false, 80);
  EXPECT_NE(text.find("all.so+0x387"), std::string::npos) << text;  // 4999 - 4096
  EXPECT_NE(text.find("/nowhere/at/all.so cannot be opened"), std::string::npos) << text;
}

TEST_F(HostileStacks, AStackThatIsNotThere) {
  damage("DELETE FROM allocator_tracer_stack_frame");
  expect_a_report("events refer to a stack that is missing from the store");
}

TEST_F(HostileStacks, FramesThatAreMissingOrTwice) {
  damage(
      "UPDATE allocator_tracer_stack_frame SET position = 9 WHERE position = 1;"
      "INSERT INTO allocator_tracer_stack_frame SELECT * FROM allocator_tracer_stack_frame");
  expect_a_report();
  EXPECT_EQ(analysed().call_stacks.addresses[0].size(), 10u);
}

TEST_F(HostileStacks, PositionsBeyondAnyStack) {
  damage("UPDATE allocator_tracer_stack_frame SET position = 4294967295 WHERE position = 1");
  expect_a_report("beyond the largest depth of a stack");
}

TEST_F(HostileStacks, ChancesThatAreNone) {
  for (const char* chance : {"0", "-1", "2", "NULL", "1e999"}) {
    damage(std::string("UPDATE allocator_tracer_event_stack SET chance = ") + chance);
    expect_a_report("have an invalid probability of being recorded");
  }
}

TEST_F(HostileStacks, LibrariesThatEndBeforeTheyBegin) {
  damage("UPDATE allocator_tracer_library SET end_address = 1");
  expect_a_report("libraries have an invalid address range");
}

TEST_F(HostileStacks, LibrariesThatAreNoFiles) {
  for (const char* path : {"/dev/zero", "/", "", "relative", "/proc/self/mem"}) {
    damage(std::string("UPDATE string SET text = '") + path + "' WHERE id = 900001");
    expect_a_report();
  }
}

TEST_F(HostileStacks, AddressesAtTheEdges) {
  damage(
      "UPDATE allocator_tracer_stack_frame SET address = 0 WHERE position = 0;"
      "UPDATE allocator_tracer_stack_frame SET address = -1 WHERE position = 1;"
      "UPDATE allocator_tracer_library SET base = 0, begin_address = 0, end_address = -1");
  expect_a_report();
}

TEST_F(HostileStacks, TablesThatAreMissing) {
  damage("DROP TABLE allocator_tracer_library");
  expect_a_report();
  damage("DROP TABLE allocator_tracer_stack_frame");
  expect_a_report();
}

TEST_F(HostileStacks, AnotherTypeIsRefused) {
  damage("UPDATE allocator_tracer_stack_frame SET address = 'here'");
  EXPECT_THROW(analysed(), RunError);
}

}  // namespace
}  // namespace strata::analysis
