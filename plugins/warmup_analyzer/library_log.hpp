// SPDX-License-Identifier: Apache-2.0
// Records the shared libraries that the process maps while it runs.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "plugins/warmup_analyzer/tables.hpp"
#include "strata/events.h"

namespace strata::warmup_analyzer {

// [any] not [alloc-lock] The number ever mapped; takes a few dozen nanoseconds.
std::uint64_t libraries_mapped() noexcept;

class LibraryLog {
 public:
  explicit LibraryLog(Table<LibraryRow> table) : table_(table) {}

  // [loop-thread] Libraries that are already mapped need no row.
  void begin();
  // [loop-thread] Writes a row for each library mapped since. Looks for them only if `mapped`, as just
  // counted, has increased.
  void note_new(const strata_when& when, std::uint64_t mapped);

 private:
  Table<LibraryRow> table_;
  std::set<std::string> known_;
  std::uint64_t seen_ = 0;  // of libraries_mapped()
};

}  // namespace strata::warmup_analyzer
