// SPDX-License-Identifier: Apache-2.0
// "did you mean": the known name nearest to an unknown one.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace strata::config {

// Like strata::nearest_name; empty if no name is near enough.
std::string nearest(std::string_view written, std::span<const std::string_view> known);

// "; did you mean 'x'?", or empty.
std::string did_you_mean(std::string_view written, std::span<const std::string_view> known);

// The path in the folder of `missing` with the most similar name, among those for which `may_be` is true;
// empty if there is none.
std::string nearest_beside(const std::filesystem::path& missing,
                           const std::function<bool(const std::filesystem::directory_entry&)>& may_be);

}  // namespace strata::config
