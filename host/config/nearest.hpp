// SPDX-License-Identifier: Apache-2.0
// "did you mean": the known name nearest to one that is not known.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace strata::config {

// As strata::nearest_name; empty when none is near enough to be meant.
std::string nearest(std::string_view written, std::span<const std::string_view> known);

// "; did you mean 'x'?", or empty.
std::string did_you_mean(std::string_view written, std::span<const std::string_view> known);

// The path beside `missing`, in its folder, whose name is nearest to its own, of those that `may_be` meant;
// empty when none is.
std::string nearest_beside(const std::filesystem::path& missing,
                           const std::function<bool(const std::filesystem::directory_entry&)>& may_be);

}  // namespace strata::config
