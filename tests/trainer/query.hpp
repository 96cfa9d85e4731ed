// SPDX-License-Identifier: Apache-2.0
// Reads a run store in tests.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace strata::trainer {

class Query {
 public:
  explicit Query(const std::filesystem::path& store) {
    sqlite3* database = nullptr;
    const int code = sqlite3_open_v2(store.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
    database_.reset(database, sqlite3_close);
    if (code != SQLITE_OK) throw std::runtime_error(store.string() + ": " + sqlite3_errmsg(database));
  }

  // The first column of every row.
  std::vector<std::string> texts(const std::string& sql) const {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sql + ": " + sqlite3_errmsg(database_.get()));
    }
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
    std::vector<std::string> texts;
    while (sqlite3_step(raw) == SQLITE_ROW) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
      texts.emplace_back(text == nullptr ? "" : text);
    }
    return texts;
  }

  // The one number that `sql` selects.
  std::int64_t integer(const std::string& sql) const { return std::stoll(texts(sql).at(0)); }

 private:
  std::shared_ptr<sqlite3> database_;
};

}  // namespace strata::trainer
