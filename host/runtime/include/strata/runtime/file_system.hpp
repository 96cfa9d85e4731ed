// SPDX-License-Identifier: Apache-2.0
// The kind of file system of a folder. A run store is not built on a network file system: SQLite needs
// reliable locks and mappings.
#pragma once

#include <filesystem>
#include <string>

#include "strata/runtime/export.hpp"

namespace strata {

struct FileSystem {
  std::string name;      // "nfs"; "type 0x1234" if unknown here, which counts as local
  bool network = false;  // or one whose server cannot be seen, such as FUSE
};

// Throws std::system_error if the folder cannot be examined.
STRATA_RUNTIME_EXPORT FileSystem file_system_of(const std::filesystem::path& folder);

// Where scratch files go: TMPDIR, or /tmp if TMPDIR is no folder, as in a job that inherited another
// machine's.
STRATA_RUNTIME_EXPORT std::filesystem::path scratch_place();

}  // namespace strata
