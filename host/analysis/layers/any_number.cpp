// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/layers/any_number.hpp"

#include <algorithm>

namespace strata::analysis {
namespace {

bool is_number(std::string_view part) {
  return !part.empty() &&
         std::ranges::all_of(part, [](char letter) { return letter >= '0' && letter <= '9'; });
}

}  // namespace

std::string with_any_number(std::string_view path) {
  std::string text;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (begin != 0) text += '.';
    text += is_number(part) ? "*" : part;
    begin = end + 1;
  }
  return text;
}

}  // namespace strata::analysis
