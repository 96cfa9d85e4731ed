// SPDX-License-Identifier: Apache-2.0
// Each text once, identified by its index. Index 0 is the empty text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace strata::analysis {

class Texts {
 public:
  std::uint32_t add(std::string_view text) {
    const auto [place, is_new] =
        index_.try_emplace(std::string(text), static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.emplace_back(text);
    return place->second;
  }
  const std::string& operator[](std::uint32_t index) const { return all_[index]; }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_{""};
  std::unordered_map<std::string, std::uint32_t> index_{{"", 0}};
};

}  // namespace strata::analysis
