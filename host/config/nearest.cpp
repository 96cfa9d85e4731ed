// SPDX-License-Identifier: Apache-2.0
#include "host/config/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "strata/runtime/nearest_name.hpp"

namespace strata::config {

namespace fs = std::filesystem;

std::string nearest(std::string_view written, std::span<const std::string_view> known) {
  return nearest_name(written, std::vector<std::string>(known.begin(), known.end())).value_or("");
}

std::string did_you_mean(std::string_view written, std::span<const std::string_view> known) {
  const std::string best = nearest(written, known);
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

std::string nearest_beside(const fs::path& missing,
                           const std::function<bool(const fs::directory_entry&)>& may_be) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = missing.has_parent_path() ? missing.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (may_be(*entry)) names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  const auto meant = nearest_name(missing.filename().string(), names);
  return meant ? (missing.parent_path() / *meant).string() : "";
}

}  // namespace strata::config
