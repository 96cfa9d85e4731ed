// SPDX-License-Identifier: Apache-2.0
// The rows added to a table since the last look. Tables of a run store only grow at their end, so only the
// number of the last row must be remembered.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/analysis/reading/store_file.hpp"

namespace strata::analysis {

class TableTail {
 public:
  // `columns` in the order used in rows; the texts must outlive this.
  TableTail(std::string_view table, std::initializer_list<std::string_view> columns);

  // Calls `use` for each new row, at most `most_rows`, and returns their number: fewer than `most_rows` means
  // that there are no more. A missing table has none. Uses one read transaction, which ends when this
  // returns.
  template <typename Use>
  std::int64_t read(const StoreFile& file, std::int64_t most_rows, Use use) {
    if (!is_there(file)) return 0;
    std::int64_t rows = 0;
    for (Query query(file, table_, columns_, {rowid_, most_rows}); query.next(); ++rows) {
      use(query.row());
      rowid_ = query.row().integer(static_cast<int>(columns_.size()) - 1);
    }
    return rows;
  }

 private:
  bool is_there(const StoreFile& file);

  std::string_view table_;
  std::vector<std::string_view> columns_;  // and the rowid, last
  std::int64_t rowid_ = 0;
  bool is_there_ = false;
};

}  // namespace strata::analysis
