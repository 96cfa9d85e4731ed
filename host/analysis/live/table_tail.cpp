// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/live/table_tail.hpp"

namespace strata::analysis {

TableTail::TableTail(std::string_view table, std::initializer_list<std::string_view> columns)
    : table_(table), columns_(columns) {
  columns_.emplace_back("rowid");
}

bool TableTail::is_there(const StoreFile& file) {
  if (!is_there_) is_there_ = file.has_table(table_);
  return is_there_;
}

}  // namespace strata::analysis
