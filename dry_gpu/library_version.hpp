// SPDX-License-Identifier: Apache-2.0
// The version numbers of CUDA's libraries, by component.
#pragma once

#include <library_types.h>

#include <array>
#include <cstddef>
#include <optional>

namespace strata::dry_gpu {

// `version`: major, minor, patch. Empty if there is no such component.
constexpr std::optional<int> version_part(libraryPropertyType part, const std::array<int, 3>& version) {
  const auto index = static_cast<std::size_t>(part);
  return index < version.size() ? std::optional(version[index]) : std::nullopt;
}

}  // namespace strata::dry_gpu
