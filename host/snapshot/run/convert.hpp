// SPDX-License-Identifier: Apache-2.0
// Converts a snapshot of torch.cuda.memory to a run, which every command can then read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace strata::snapshot {

// Changes when a conversion of the same file gives another run.
inline constexpr int kForm = 1;

// Which file a run was converted from, as its manifest says it.
struct SnapshotFile {
  std::string path;  // absolute
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  bool operator==(const SnapshotFile&) const = default;
};
// Throws SnapshotError if there is no such file.
SnapshotFile identify(const std::filesystem::path& file);

struct Conversion {
  std::uint64_t events = 0;
  std::size_t devices = 0;  // with any memory
};

// Writes manifest and store to an existing, empty folder. Throws SnapshotError if the file cannot be read,
// std::runtime_error if the folder cannot be written.
Conversion convert(const std::filesystem::path& file, const std::filesystem::path& run_directory);

}  // namespace strata::snapshot
