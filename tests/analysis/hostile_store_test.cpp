// SPDX-License-Identifier: Apache-2.0
// Damaged or inconsistent stores. Analysis either reports what is wrong with the file or handles it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "host/analysis/analyse.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/report/words/warnings.hpp"
#include "tests/analysis/store_writer.hpp"
#include "tests/analysis/training_run.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::analysis {
namespace {

namespace fs = std::filesystem;

class HostileStore : public ::testing::Test {
 protected:
  HostileStore()
      : store_(testing::write_store(directory_.path(), testing::make_training_run({.steps = 1}).recording)) {}

  void damage(const std::string& sql) { testing::run_sql(store_, sql); }
  Facts analysed() const { return analyse(directory_.path()); }

  // Throws with a message that names the file and contains `part`.
  void expect_refused(std::string_view part) const {
    try {
      analysed();
      ADD_FAILURE() << "was accepted, and should have been refused: " << part;
    } catch (const RunError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("rank0/7.sqlite"), std::string::npos) << message;
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }

  bool warns_of(std::string_view part) const {
    for (const std::string& warning : report::warning_texts(analysed().warnings)) {
      if (warning.find(part) != std::string::npos) return true;
    }
    return false;
  }

  test::TemporaryFolder directory_;
  fs::path store_;
};

TEST_F(HostileStore, CutOffAnywhere) {
  const auto whole = fs::file_size(store_);
  const auto later = fs::last_write_time(store_);
  for (std::uintmax_t bytes = whole; bytes > 0; bytes -= std::min<std::uintmax_t>(bytes, 4096 * 3 + 17)) {
    fs::resize_file(store_, bytes);
    fs::last_write_time(store_, later);
    try {
      analysed();
      EXPECT_EQ(bytes, whole) << "a store cut off at " << bytes << " was accepted";
    } catch (const RunError& error) {
      EXPECT_LT(bytes, whole);
      EXPECT_NE(std::string(error.what()).find("7.sqlite"), std::string::npos);
    }
  }
}

TEST_F(HostileStore, Empty) {
  std::ofstream(store_, std::ios::trunc).flush();
  expect_refused("has no table meta");
}

TEST_F(HostileStore, NotADatabase) {
  std::ofstream(store_, std::ios::trunc) << std::string(10000, 'x');
  expect_refused("not a database");
}

TEST_F(HostileStore, BytesFlippedInTheMiddle) {
  const auto whole = static_cast<std::streamoff>(fs::file_size(store_));
  for (std::streamoff place = 100; place < whole; place += 1531) {
    {
      std::fstream file(store_, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(place);
      file.put(static_cast<char>(place * 37));
    }
    try {
      const Facts facts = analysed();
      EXPECT_EQ(facts.directory, directory_.path().string());
    } catch (const RunError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("7.sqlite"), std::string::npos) << message;
      EXPECT_EQ(message.find("7.sqlite"), message.rfind("7.sqlite")) << "named twice: " << message;
    }
  }
}

TEST_F(HostileStore, AnotherSchema) {
  damage("UPDATE meta SET value = 'strata.store/2' WHERE key = 'schema'");
  expect_refused("schema 'strata.store/2'");
}

TEST_F(HostileStore, WrongTypes) {
  damage("UPDATE allocator_tracer_event SET address = 'here' WHERE rowid = 3");
  expect_refused("table allocator_tracer_event: column address contains 'here'");
}

TEST_F(HostileStore, NullWhereANumberMustStand) {
  damage("UPDATE host_phase_begin SET kind = NULL WHERE rowid = 2");
  expect_refused("column kind contains 'NULL'");
}

TEST_F(HostileStore, AMissingColumn) {
  damage("ALTER TABLE host_tensor RENAME COLUMN role TO rank");
  expect_refused("no such column: role");
}

TEST_F(HostileStore, NegativeSizes) {
  damage("UPDATE allocator_tracer_event SET bytes = -8 WHERE rowid = 1");
  expect_refused("-8 is not a valid size");
}

TEST_F(HostileStore, TimesThatNoClockShows) {
  damage("UPDATE allocator_tracer_event SET monotonic_ns = 9223372036854775807 WHERE rowid = 9");
  expect_refused("9223372036854775807 is not a valid time");
}

TEST_F(HostileStore, SizesThatAddUpToTooMuch) {
  damage(
      "UPDATE allocator_tracer_event SET bytes = 1125899906842624 WHERE action = 1;"
      "UPDATE allocator_tracer_event SET action = 1, address = rowid, bytes = 1125899906842624;"
      "INSERT INTO allocator_tracer_event WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
      "WHERE i < 20000)"
      "  SELECT 1000000 + i, 0, 0, 1, 1, 0, 1000000 + i, 1125899906842624, 0, 0, 0, 0, 0, 0 FROM n");
  const std::string message = [&] {
    try {
      analysed();
    } catch (const RunError& error) {
      return std::string(error.what());
    }
    return std::string();
  }();
  EXPECT_NE(message.find("exceed 64 bits"), std::string::npos) << message;
}

TEST_F(HostileStore, PhasesInACircle) {
  damage(
      "UPDATE host_phase_begin SET parent = phase; UPDATE host_phase_begin SET parent = phase + 1 WHERE "
      "phase % 2 = 1");
  EXPECT_GT(analysed().blocks.size(), 0u);
}

TEST_F(HostileStore, OpsInACircle) {
  damage(
      "UPDATE allocator_tracer_op SET parent = op; UPDATE allocator_tracer_op SET parent = op + 1 WHERE op % "
      "2 = 1");
  EXPECT_GT(analysed().blocks.size(), 0u);
}

TEST_F(HostileStore, ModulesInACircle) {
  damage("UPDATE host_module_begin SET parent = module; UPDATE host_module_begin SET direction = 2");
  EXPECT_GT(analysed().blocks.size(), 0u);
}

TEST_F(HostileStore, OrdinalsOfNothing) {
  damage("UPDATE allocator_tracer_event SET op = -1, phase = 4294967295, module = 4000000000");
  EXPECT_GT(analysed().blocks.size(), 0u);
}

TEST_F(HostileStore, TextsOfNothing) {
  damage("UPDATE allocator_tracer_op SET name = 77");
  EXPECT_TRUE(warns_of("rows refer to a text that is missing from the store"));
}

TEST_F(HostileStore, APhaseThatEndsBeforeItBegins) {
  damage("UPDATE host_phase_end SET sequence = 0");
  expect_refused("ends before it begins");
}

TEST_F(HostileStore, TheSameSequenceTwice) {
  damage("INSERT INTO allocator_tracer_event SELECT * FROM allocator_tracer_event WHERE rowid < 4");
  EXPECT_TRUE(warns_of("3 memory events repeat"));
}

TEST_F(HostileStore, StepsThatBeginTwiceAndEndsWithoutABegin) {
  damage(
      "INSERT INTO host_step_begin SELECT * FROM host_step_begin; INSERT INTO host_step_end VALUES (1, 1, "
      "99, 0, NULL, 0)");
  EXPECT_TRUE(warns_of("step 0 begins twice"));
  EXPECT_TRUE(warns_of("step 99 ends, but never began"));
}

TEST_F(HostileStore, StepsThatCountDown) {
  damage(
      "INSERT INTO host_step_begin SELECT max(sequence) + 1, max(monotonic_ns) + 1, 7, 2, 1 FROM "
      "host_step_end;"
      "INSERT INTO host_step_begin SELECT sequence + 1, monotonic_ns + 1, 5, 2, 1 FROM host_step_begin "
      "WHERE step = 7");
  EXPECT_TRUE(warns_of("step 5 begins after step 7, and is left out"));
}

TEST_F(HostileStore, TimesThatGoBackwards) {
  damage("UPDATE allocator_tracer_event SET monotonic_ns = 10000000 - monotonic_ns");
  const Facts facts = analysed();
  for (std::size_t point = 1; point < facts.points.size(); ++point) {
    ASSERT_GE(facts.points[point].ns, facts.points[point - 1].ns);
  }
}

// A view could run forever; none is read, whatever its name.
TEST_F(HostileStore, AViewInPlaceOfATable) {
  damage(
      "DROP TABLE gap; CREATE VIEW gap AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
      "  SELECT 'x' AS table_name, i AS thread, i AS rows FROM n");
  EXPECT_GT(analysed().blocks.size(), 0u);
}

TEST_F(HostileStore, AManifestThatIsNone) {
  std::ofstream(directory_.path() / "manifest.json") << R"({"plugins": [1, {"id": 5}, null], "sources": {}})";
  EXPECT_EQ(analysed().plugins.size(), 1u);
  std::ofstream(directory_.path() / "manifest.json") << "{]";
  EXPECT_TRUE(warns_of("manifest.json: is not a JSON object"));
}

TEST_F(HostileStore, OneOfSeveral) {
  testing::write_store(directory_.path(), testing::make_training_run({.steps = 1}).recording, 0, 8);
  std::ofstream(store_, std::ios::trunc) << std::string(10000, 'x');
  EXPECT_TRUE(warns_of("7.sqlite: cannot be opened as a run store"));
  EXPECT_GT(analysed().blocks.size(), 0u);
}

}  // namespace
}  // namespace strata::analysis
