// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/run_reader.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "host/analysis/analyse.hpp"
#include "host/analysis/checks/cross_check.hpp"
#include "host/analysis/facts/warning.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/report/words/warnings.hpp"
#include "strata/ext/memory.h"
#include "tests/analysis/store_writer.hpp"
#include "tests/analysis/training_run.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::analysis {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using testing::run_sql;
using testing::write_store;

// The parts that are equal whether rows came from a file or not: texts are compared, not their ids.
std::string told(const Facts& facts, const Block& block) {
  return std::to_string(block.address) + " " + std::to_string(block.bytes) + " " +
         std::to_string(block.birth_sequence) + " " + std::to_string(block.death_sequence) + " " +
         std::to_string(block.birth_ns) + " " + to_string(block.category) + "/" +
         std::string(to_string(block.kind)) + " " + facts.texts[block.name] + " " + facts.texts[block.op] +
         " " + facts.texts[block.layer] + " " + facts.texts[block.saver] + " " + std::to_string(block.phase);
}

bool any_contains(const std::vector<Warning>& warnings, std::string_view part) {
  for (const std::string& text : report::warning_texts(warnings)) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(RunReader, ReadsWhatWasWritten) {
  TemporaryFolder directory;
  const Recording written =
      testing::make_training_run({.checkpointing = true, .cross_check = true}).recording;
  write_store(directory.path(), written);
  std::ofstream(directory.path() / "manifest.json")
      << R"({"sources": [{"id": "torch", "status": "ok", "reason": ""}],
             "plugins": [{"id": "allocator_tracer", "status": "disabled", "reason": "why"}]})";

  const Recording read = read_run(directory.path());
  const Facts facts = analyse(read);
  const Facts wanted = analyse(written);
  EXPECT_EQ(facts.name, "by-hand");
  EXPECT_EQ(facts.directory, directory.path().string());
  EXPECT_EQ(facts.end, RunEnd::kDone);
  EXPECT_EQ(facts.device, "cpu");
  EXPECT_EQ(facts.first_step, 1);
  EXPECT_EQ(facts.last_step, 2);
  EXPECT_EQ(facts.begin_ns, wanted.begin_ns);
  EXPECT_EQ(facts.end_ns, wanted.end_ns);
  EXPECT_EQ(report::warning_texts(facts.warnings), std::vector<std::string>());
  ASSERT_EQ(facts.plugins.size(), 2u);
  EXPECT_EQ(facts.plugins[1].id, "allocator_tracer");
  EXPECT_EQ(facts.plugins[1].status, "disabled");
  EXPECT_EQ(facts.plugins[1].reason, "why");

  ASSERT_EQ(facts.blocks.size(), wanted.blocks.size());
  for (std::size_t block = 0; block < facts.blocks.size(); ++block) {
    ASSERT_EQ(told(facts, facts.blocks[block]), told(wanted, wanted.blocks[block]));
  }
  ASSERT_EQ(facts.points.size(), wanted.points.size());
  for (std::size_t point = 0; point < facts.points.size(); ++point) {
    ASSERT_EQ(facts.points[point].bytes, wanted.points[point].bytes);
    ASSERT_EQ(facts.points[point].ns, wanted.points[point].ns);
  }
  ASSERT_EQ(facts.phases.size(), wanted.phases.size());
  for (std::size_t phase = 0; phase < facts.phases.size(); ++phase) {
    EXPECT_EQ(facts.phases[phase].name, wanted.phases[phase].name);
    EXPECT_EQ(facts.phases[phase].depth, wanted.phases[phase].depth);
    EXPECT_EQ(facts.phases[phase].end_ns, wanted.phases[phase].end_ns);
  }
  ASSERT_EQ(facts.steps.size(), 3u);
  EXPECT_DOUBLE_EQ(facts.steps[2].loss, 2.5);
  EXPECT_EQ(facts.steps[2].tokens, 64u);
  EXPECT_TRUE(cross_check(read, facts.points).holds());
}

TEST(RunReader, TakesWhatStepsCountFromTheManifest) {
  const auto unit_with = [](const std::string& manifest) {
    TemporaryFolder directory;
    write_store(directory.path(), testing::make_training_run({.steps = 1}).recording);
    if (!manifest.empty()) std::ofstream(directory.path() / "manifest.json") << manifest;
    return analyse(directory.path()).unit;
  };
  EXPECT_EQ(unit_with(R"({"unit": "images"})"), "images");
  for (const char* older : {"", "{}", R"({"unit": ""})", R"({"unit": 3})", R"({"unit": null})"}) {
    EXPECT_EQ(unit_with(older), "tokens") << older;
  }
}

// Two adjacent segments, or two pieces of one.
TEST(RunReader, TakesFromTheManifestWhetherSegmentsGrow) {
  Recording written = testing::make_training_run({.steps = 1}).recording;
  const auto happens = [&](std::uint32_t action, std::uint64_t address, std::uint64_t bytes) {
    MemoryRow row = written.memory.back();
    ++row.sequence;
    row.action = action;
    row.address = address;
    row.bytes = bytes;
    written.memory.push_back(row);
  };
  happens(STRATA_MEMORY_SEGMENT_ALLOCATE, 0x1000000, 0x1000);
  happens(STRATA_MEMORY_SEGMENT_ALLOCATE, 0x1001000, 0x1000);
  happens(STRATA_MEMORY_OUT_OF_MEMORY, 0, 0x4000);
  const auto largest_gap = [&](const std::string& manifest) {
    TemporaryFolder directory;
    write_store(directory.path(), written);
    std::ofstream(directory.path() / "manifest.json") << manifest;
    return read_run(directory.path()).failures.at(0).largest_gap_bytes;
  };
  EXPECT_EQ(largest_gap(R"({"allocator": {"settings": "expandable_segments:True"}})"), 0x2000u);
  for (const char* other : {R"({"allocator": {"settings": ""}})", R"({"allocator": {"settings": 3}})",
                            R"({"allocator": []})", R"({"allocator": {}})", "{}", "[", ""}) {
    EXPECT_EQ(largest_gap(other), 0x1000u) << other;
  }
}

TEST(RunReader, TakesRowsInAnyOrder) {
  TemporaryFolder directory;
  const Recording written = testing::make_training_run().recording;
  const fs::path store = write_store(directory.path(), written);
  run_sql(store,
          "CREATE TABLE copied AS SELECT * FROM allocator_tracer_event ORDER BY address, sequence DESC;"
          "DELETE FROM allocator_tracer_event;"
          "INSERT INTO allocator_tracer_event SELECT * FROM copied;");
  const Facts facts = analyse(directory.path());
  const Facts wanted = analyse(written);
  ASSERT_EQ(facts.points.size(), wanted.points.size());
  EXPECT_EQ(facts.points.back().bytes, wanted.points.back().bytes);
}

TEST(RunReader, OfSeveralProcessesTakesTheOneThatRecordedMemory) {
  TemporaryFolder directory;
  Recording silent = testing::make_training_run({.steps = 1}).recording;
  silent.memory.clear();
  Recording loud = testing::make_training_run({.steps = 1}).recording;
  loud.name = "loud";
  write_store(directory.path(), silent, 0, 5);
  write_store(directory.path(), loud, 0, 9);
  write_store(directory.path(), loud, 1, 3);
  const Recording run = read_run(directory.path());
  EXPECT_EQ(run.name, "loud");
  EXPECT_TRUE(any_contains(run.warnings, "rank0/5.sqlite: another process"));
  EXPECT_FALSE(any_contains(run.warnings, "rank1/3.sqlite")) << "another rank is no surprise";
  EXPECT_FALSE(any_contains(run.warnings, "rank0/9.sqlite: another process"));
}

TEST(RunReader, ReadsTheRankThatIsAskedFor) {
  TemporaryFolder directory;
  Recording run = testing::make_training_run({.steps = 1}).recording;
  for (const int rank : {0, 1, 4}) {
    run.name = "rank " + std::to_string(rank);
    write_store(directory.path(), run, rank, 7);
  }
  EXPECT_EQ(read_run(directory.path()).name, "rank 0");
  EXPECT_EQ(read_run(directory.path(), 4).name, "rank 4");
  EXPECT_EQ(analyse(directory.path(), 1).name, "rank 1");
  try {
    read_run(directory.path(), 2);
    FAIL();
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("has no rank 2; its largest rank is 4"), std::string::npos);
  }
}

TEST(RunReader, GoesOnWithoutWhatItCanMiss) {
  for (const char* table :
       {"host_run_begin", "host_run_end", "host_step_begin", "host_step_end", "host_phase_begin",
        "host_phase_end", "host_module_begin", "host_module_end", "host_tensor", "allocator_tracer_op",
        "allocator_tracer_saved", "torch_memory_report", "string", "gap", "allocator_tracer_event"}) {
    SCOPED_TRACE(table);
    TemporaryFolder directory;
    const Recording written = testing::make_training_run({.steps = 1, .cross_check = true}).recording;
    const fs::path store = write_store(directory.path(), written);
    run_sql(store, std::string("DROP TABLE ") + table);
    const Facts facts = analyse(directory.path());
    const bool has_events = std::string(table) != "allocator_tracer_event";
    EXPECT_EQ(facts.points.size(), has_events ? written.memory.size() : 0);
  }
}

TEST(RunReader, SaysWhatIsMissing) {
  TemporaryFolder directory;
  const fs::path store = write_store(directory.path(), testing::make_training_run({.steps = 1}).recording);
  run_sql(store, "DROP TABLE host_tensor; INSERT INTO gap VALUES ('allocator_tracer_event', 7, 1234, 1, 2)");
  const Recording run = read_run(directory.path());
  EXPECT_TRUE(any_contains(run.warnings, "no table host_tensor"));
  EXPECT_TRUE(any_contains(run.warnings, "dropped 1234 rows of allocator_tracer_event"));
  EXPECT_TRUE(any_contains(run.warnings, "was full or could not be created"));
  EXPECT_TRUE(any_contains(run.warnings, "manifest.json: does not exist"));
  EXPECT_FALSE(any_contains(run.warnings, "killed"));
}

TEST(RunReader, AnUnansweredCrossCheckIsAFailedOne) {
  TemporaryFolder directory;
  const Recording written = testing::make_training_run({.steps = 1, .cross_check = true}).recording;
  const fs::path store = write_store(directory.path(), written);
  run_sql(store, "DELETE FROM torch_memory_report");
  const Facts facts = analyse(directory.path());
  ASSERT_TRUE(facts.cross_check.has_value());
  EXPECT_EQ(facts.cross_check->events, written.memory.size());
  EXPECT_EQ(facts.cross_check->events_compared, 0u);
  EXPECT_FALSE(facts.cross_check->holds());
}

TEST(RunReader, ACrossCheckThatNobodyAskedForIsNone) {
  TemporaryFolder directory;
  write_store(directory.path(), testing::make_training_run({.steps = 1}).recording);
  EXPECT_FALSE(analyse(directory.path()).cross_check.has_value());
}

TEST(RunReader, ARunThatGoesOnIsNotSaidToBeKilled) {
  TemporaryFolder directory;
  const fs::path store = write_store(directory.path(), testing::make_training_run({.steps = 1}).recording);
  run_sql(store, "UPDATE meta SET value = 'open' WHERE key = 'state'; DELETE FROM meta WHERE key = 'end'");
  EXPECT_EQ(analyse(directory.path()).end, RunEnd::kOpen);
}

TEST(RunReader, NeedsNoViews) {
  TemporaryFolder directory;
  const Recording written = testing::make_training_run({.steps = 1}).recording;
  const fs::path store = write_store(directory.path(), written);
  run_sql(store, "DROP VIEW step; DROP VIEW phase; DROP VIEW module; DROP VIEW tensor");
  EXPECT_EQ(analyse(directory.path()).blocks.size(),
            written.memory.empty() ? 0 : analyse(written).blocks.size());
}

TEST(RunReader, ARunWhoseProcessDiedIsKilled) {
  TemporaryFolder directory;
  const Recording whole = testing::make_training_run({.steps = 1}).recording;
  write_store(directory.path(), testing::killed_after(whole, whole.memory.back().sequence / 2));
  const Facts facts = analyse(directory.path());
  EXPECT_EQ(facts.end, RunEnd::kKilled);
  EXPECT_TRUE(any_contains(facts.warnings, "recovered after the process died"));
}

TEST(RunReader, RefusesWhatIsNoRun) {
  TemporaryFolder directory;
  EXPECT_THROW(read_run(directory.path() / "nowhere"), RunError);
  EXPECT_THROW(read_run(directory.path()), RunError);
  fs::create_directories(directory.path() / "rank0");
  std::ofstream(directory.path() / "rank0" / "notes.sqlite") << "x";
  EXPECT_THROW(read_run(directory.path()), RunError);
}

}  // namespace
}  // namespace strata::analysis
