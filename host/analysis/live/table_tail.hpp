// SPDX-License-Identifier: Apache-2.0
// The rows that came into a table since the last time somebody looked. Tables of a run store only grow, at
// their end: the number of the last row is all that must be remembered.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/analysis/reading/store_file.hpp"

namespace strata::analysis {

class TableTail {
 public:
  // `columns` in the order in which rows have them; texts that outlive this.
  TableTail(std::string_view table, std::initializer_list<std::string_view> columns);

  // Calls `use` for each new row, `most_rows` at most, and returns how many there were: fewer than
  // `most_rows` means that there are no more now. A table that is not there has none. One read transaction,
  // over when this returns.
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
