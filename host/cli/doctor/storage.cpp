// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "host/cli/doctor/check.hpp"
#include "strata/runtime/file_system.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLittleSpace = std::uintmax_t{2} << 30;

Finding check_file_system(const fs::path& folder) {
  Finding finding{.name = "file system of runs"};
  try {
    const FileSystem system = file_system_of(folder);
    finding.detail = system.name;
    if (system.network) {
      finding.verdict = Verdict::kWarning;
      finding.remedy =
          "run stores are written in the temporary folder and moved here at the end; use --out on a local "
          "disk to avoid that";
    }
  } catch (const std::system_error& error) {
    finding.verdict = Verdict::kWarning;
    finding.detail = fmt::format("unknown: {}", error.code().message());
  }
  return finding;
}

Finding check_space(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error) {
    return {.name = "free disk space", .verdict = Verdict::kWarning, .detail = error.message()};
  }
  Finding finding{.name = "free disk space", .detail = fmt::format("{} MiB", space.available >> 20)};
  if (space.available < kLittleSpace) {
    finding.verdict = Verdict::kWarning;
    finding.remedy = "free some space, or run with --out on another disk";
  }
  return finding;
}

}  // namespace

Findings check_storage(const fs::path& folder) {
  std::error_code ignored;
  fs::path existing = fs::absolute(folder, ignored);
  while (!fs::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
  Finding writable{
      .name = "folder of runs", .detail = fs::absolute(folder, ignored).string(), .needed = true};
  if (!fs::is_directory(existing, ignored) || access(existing.c_str(), W_OK | X_OK) != 0) {
    writable.verdict = Verdict::kMissing;
    writable.detail += fmt::format(": cannot write in {}", existing.string());
    writable.remedy = "run in a folder that you can write to, or with --out";
  }
  return {writable, check_file_system(existing), check_space(existing)};
}

}  // namespace strata::cli
