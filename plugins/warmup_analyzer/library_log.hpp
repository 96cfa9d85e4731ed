// SPDX-License-Identifier: Apache-2.0
// Which shared libraries the process maps while it runs.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "plugins/warmup_analyzer/tables.hpp"
#include "strata/events.h"

namespace strata::warmup_analyzer {

// [any] not [alloc-lock] How many were ever mapped; a few dozen nanoseconds.
std::uint64_t libraries_mapped() noexcept;

class LibraryLog {
 public:
  explicit LibraryLog(Table<LibraryRow> table) : table_(table) {}

  // [loop-thread] The ones that are there need no row.
  void begin();
  // [loop-thread] A row for each that came since; only looks when `mapped`, as just counted, says that some
  // did.
  void note_new(const strata_when& when, std::uint64_t mapped);

 private:
  Table<LibraryRow> table_;
  std::set<std::string> known_;
  std::uint64_t seen_ = 0;  // of libraries_mapped()
};

}  // namespace strata::warmup_analyzer
