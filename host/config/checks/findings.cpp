// SPDX-License-Identifier: Apache-2.0
#include "host/config/checks/findings.hpp"

#include <algorithm>
#include <utility>

namespace strata::config {

bool Findings::sound(std::initializer_list<std::string_view> paths) const {
  return std::ranges::none_of(paths, [&](std::string_view path) {
    return std::ranges::find(problems_, path, &Problem::key) != problems_.end();
  });
}

void Findings::problem(std::string_view path, std::string message) {
  problems_.push_back({written_.place_of(path), std::string(path), std::move(message)});
}

}  // namespace strata::config
