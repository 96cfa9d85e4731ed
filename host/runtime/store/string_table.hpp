// SPDX-License-Identifier: Apache-2.0
// Repeated texts, stored once with small sequential ids; a text has the same id for the whole run.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "strata/events.h"

namespace strata {

class DefinitionLog;

// Longer texts are truncated.
inline constexpr std::size_t kMaximumTextBytes = std::size_t{1} << 20;

// The texts interned by one thread: a repeated text costs a hash and a comparison, no lock and no heap
// memory.
using InternCache = std::unordered_map<std::string_view, strata_name>;

class StringTable {
 public:
  explicit StringTable(DefinitionLog& log) : log_(log) {}
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  // [any] `cache` belongs to the calling thread. The text lives as long as this table. A new text is in the
  // log before its id is returned to any thread.
  strata_name intern(std::string_view text, InternCache& cache);

 private:
  strata_name intern_shared(std::string_view text);

  DefinitionLog& log_;
  std::mutex mutex_;
  std::deque<std::string> texts_;  // text i has id i + 1
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

}  // namespace strata
