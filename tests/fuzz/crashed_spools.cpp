// SPDX-License-Identifier: Apache-2.0
// Spools and definitions of any content, with a store that may be hostile itself: opening the run drains what
// can be drained, reports the rest, gives the same result when repeated, and leaves a store that passes
// SQLite's integrity check and that analysis reads or rejects.
#include "tests/fuzz/crashed_spools.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/runtime/store/store_database.hpp"
#include "strata/runtime/recovery.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::fuzz {
namespace {

std::string ask(const std::filesystem::path& store, const char* sql) {
  sqlite3* database = nullptr;
  std::string answer = "cannot be opened";
  if (sqlite3_open_v2(store.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK) {
    answer.clear();
    const auto add = [](void* text, int, char** values, char**) {
      *static_cast<std::string*>(text) += values[0];
      return 0;
    };
    sqlite3_exec(database, sql, add, &answer, nullptr);
  }
  sqlite3_close(database);
  return answer;
}

// A store with SQL that would write to the table `ran` if executed.
void write_hostile_store(const std::filesystem::path& store, std::uint8_t kind) {
  static constexpr const char* kTables[] = {"meta", "string", "spool", "gap", "table_info", "column_info"};
  StoreDatabase(store).close();
  std::string sql = "CREATE TABLE ran (what TEXT);";
  const std::string viewed = kind < kView ? "" : kTables[kind % std::size(kTables)];
  for (const std::string table : kTables) {
    const bool is_view = table == viewed;
    if (is_view) sql += "DROP TABLE " + table + "; CREATE VIEW " + table + " AS SELECT 1 AS key, 2 AS value;";
    sql += "CREATE TRIGGER of_" + table + (is_view ? " INSTEAD OF" : " AFTER") + " INSERT ON " + table +
           " BEGIN INSERT INTO ran VALUES ('" + table + "'); END;";
  }
  SqliteConnection(store).execute(sql);
}

void write(const test::TemporaryFolder& folder, std::span<const std::uint8_t> input) {
  const std::size_t patch_bytes =
      std::min<std::size_t>(input[0] % (kMostPatches + 1) * std::size_t{10}, input.size() - 1);
  const auto patches = input.subspan(1, patch_bytes);
  auto rest = input.subspan(1 + patch_bytes);
  const std::size_t told = rest.size() < 2 ? 0 : rest[0] + 256u * rest[1];
  rest = rest.subspan(std::min<std::size_t>(rest.size(), 2));
  const auto definitions = rest.first(std::min(told, rest.size()));
  folder.write("rank0/7.spool/definitions", text_of(definitions.data(), definitions.size()));
  folder.write("rank0/7.spool/00001.spool", spool_of(patches, rest.subspan(definitions.size())));
  folder.write("rank0/7.sqlite", "");
  if (input[0] >= kTriggers) write_hostile_store(folder.path() / "rank0/7.sqlite", input[0]);
}

void recover(std::span<const std::uint8_t> input) {
  static const test::TemporaryFolder folder;
  std::filesystem::remove_all(folder.path() / "rank0");
  write(folder, input);
  const std::vector<RecoveredStore> first = recover_run(folder.path());
  expect(first.size() == 1, "a process has one store");
  const std::string integrity = ask(first[0].store, "PRAGMA integrity_check");
  expect(integrity == "ok", "a recovered store is whole", integrity);
  const std::string ran = ask(first[0].store, "SELECT what FROM ran");
  expect(ran.empty(), "no SQL of the store is run", ran);
  const RecoveredStore second = recover_run(folder.path()).at(0);
  expect(second.rows_recovered == 0, "no row is recovered twice");
  expect(second.problems == first[0].problems, "what cannot be read is said each time",
         second.problems.empty() ? "" : second.problems[0]);
  try {
    analysis::analyse(folder.path());
  } catch (const analysis::RunError&) {
    // A reported error.
  }
}

}  // namespace
}  // namespace strata::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) strata::fuzz::recover({data, size});
  return 0;
}
