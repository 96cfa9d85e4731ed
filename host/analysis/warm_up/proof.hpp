// SPDX-License-Identifier: Apache-2.0
// Formats evidence.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata::analysis {

// "31.2 ms", "4.5 us", "1.20 s"
inline std::string time_text(double ns) {
  if (ns >= 1e9) return fmt::format("{:.2f} s", ns / 1e9);
  if (ns >= 1e6) return fmt::format("{:.1f} ms", ns / 1e6);
  return fmt::format("{:.1f} us", ns / 1e3);
}

// The first three, and the number of the others.
inline std::string list_text(const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t index = 0; index < items.size() && index < kShown; ++index)
    text += (index == 0 ? "" : ", ") + items[index];
  return items.size() <= kShown ? text : fmt::format("{} and {} more", text, items.size() - kShown);
}

inline std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace strata::analysis
