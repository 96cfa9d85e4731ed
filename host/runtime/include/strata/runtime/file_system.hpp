// SPDX-License-Identifier: Apache-2.0
// Which kind of file system a folder is on. A run store is not built on a network's: SQLite needs locks and
// mappings that keep their word.
#pragma once

#include <filesystem>
#include <string>

#include "strata/runtime/export.hpp"

namespace strata {

struct FileSystem {
  std::string name;      // "nfs"; "type 0x1234" of one that is not known here, which counts as local
  bool network = false;  // or one whose server is not seen, as FUSE's
};

// Throws std::system_error when the folder cannot be looked at.
STRATA_RUNTIME_EXPORT FileSystem file_system_of(const std::filesystem::path& folder);

}  // namespace strata
