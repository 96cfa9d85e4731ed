// SPDX-License-Identifier: Apache-2.0
// A folder for one test's run, removed with its content, and short queries of a run store.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/runtime/store/sqlite.hpp"
#include "tests/temporary_folder.hpp"

namespace strata {

// The process id in the names of a test's run stores.
inline constexpr std::uint32_t kPid = 4711;

class RunFolder {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path rank() const { return path() / "rank0"; }
  std::filesystem::path store(std::uint32_t pid) const { return rank() / (std::to_string(pid) + ".sqlite"); }
  std::filesystem::path spools(std::uint32_t pid) const { return rank() / (std::to_string(pid) + ".spool"); }

 private:
  test::TemporaryFolder folder_;
};

// The result's columns as SQLite writes them, joined by '|', one text per row; NULL is empty.
inline std::vector<std::string> query(const std::filesystem::path& store, const std::string& sql) {
  SqliteConnection connection(store);
  SqliteStatement statement(connection, sql);
  std::vector<std::string> rows;
  while (statement.next()) {
    std::string row;
    for (int column = 0; column < statement.columns(); ++column) {
      row += (column == 0 ? "" : "|") + statement.text(column);
    }
    rows.push_back(row);
  }
  return rows;
}

inline std::int64_t query_integer(const std::filesystem::path& store, const std::string& sql) {
  const std::vector<std::string> rows = query(store, sql);
  return rows.size() == 1 && !rows[0].empty() ? std::stoll(rows[0]) : -1;
}

}  // namespace strata
