// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/pickle/text_table.hpp"

#include <functional>

namespace strata::snapshot {

std::uint32_t TextTable::add(std::string_view text) {
  if (texts_.size() * 2 >= slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(text)&mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if (texts_[slots_[slot] - 1] == text) return slots_[slot] - 1;
  }
  texts_.push_back(text);
  slots_[slot] = static_cast<std::uint32_t>(texts_.size());
  return slots_[slot] - 1;
}

void TextTable::grow() {
  slots_.assign(slots_.empty() ? 1024 : slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t number = 0; number < texts_.size(); ++number) {
    std::size_t slot = std::hash<std::string_view>{}(texts_[number]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(number + 1);
  }
}

}  // namespace strata::snapshot
