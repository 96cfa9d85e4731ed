// SPDX-License-Identifier: Apache-2.0
// Interned names used in events, valid for the life of the process.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "strata/events.h"

namespace strata {

class Store;

class Names {
 public:
  // With a store, ids are its row ids; without one (null), this object assigns them. `store` outlives this.
  explicit Names(Store* store) noexcept : store_(store) {}

  // [any], not [alloc-lock]. The empty text has id 0.
  strata_name intern(std::string_view text);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  Store* store_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
};

}  // namespace strata
