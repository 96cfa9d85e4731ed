// SPDX-License-Identifier: Apache-2.0
// The row that the store's tests append: the thread that wrote it, and how many rows it had written
// before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strata/ext/store.h"

namespace strata {

struct CountedRow {
  std::uint64_t count;
  std::uint32_t writer;
  std::uint32_t thread;
  std::uint64_t filler[10];
};

inline const strata_table& counted_table() {
  static const strata_column kColumns[] = {
      STRATA_COLUMN(CountedRow, count, STRATA_COLUMN_UINT64, "", "rows of this writer before this one"),
      STRATA_COLUMN(CountedRow, writer, STRATA_COLUMN_UINT32, "", "which of the test's threads"),
      STRATA_COLUMN(CountedRow, thread, STRATA_COLUMN_UINT32, "", "the OS's thread id"),
  };
  static const strata_table kTable = {
      sizeof(strata_table), sizeof(CountedRow), "row", "a counted row", kColumns, 3, 0};
  return kTable;
}

}  // namespace strata
