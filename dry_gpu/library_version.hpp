// SPDX-License-Identifier: Apache-2.0
// What CUDA's libraries tell of their versions, part by part.
#pragma once

#include <library_types.h>

#include <array>
#include <cstddef>
#include <optional>

namespace strata::dry_gpu {

// `version`: major, minor, patch. Nothing: there is no such part.
constexpr std::optional<int> version_part(libraryPropertyType part, const std::array<int, 3>& version) {
  const auto index = static_cast<std::size_t>(part);
  return index < version.size() ? std::optional(version[index]) : std::nullopt;
}

}  // namespace strata::dry_gpu
