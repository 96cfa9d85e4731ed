// SPDX-License-Identifier: Apache-2.0
// Texts, each once, with numbers from 0. The texts are not copied: they lie in the mapped file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace strata::snapshot {

class TextTable {
 public:
  std::uint32_t add(std::string_view text);
  std::string_view operator[](std::uint32_t number) const { return texts_[number]; }
  std::size_t size() const { return texts_.size(); }
  std::size_t memory_bytes() const {
    return texts_.capacity() * sizeof(std::string_view) + slots_.capacity() * sizeof(std::uint32_t);
  }

 private:
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> slots_;  // number + 1; 0 is free. A power of two, at most half full
};

}  // namespace strata::snapshot
