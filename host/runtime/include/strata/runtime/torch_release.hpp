// SPDX-License-Identifier: Apache-2.0
// The source of torch's events is built once for each minor release of torch, whose C++ ABI moves between
// them: sources/torch-2.11.so, sources/torch-2.15.so. Which one fits, the libtorch says that the process has
// loaded.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "strata/runtime/export.hpp"

namespace strata {

struct TorchRelease {
  unsigned major = 0, minor = 0;
  std::filesystem::path root;  // the folder that has its lib/ and include/

  std::string text() const { return std::to_string(major) + '.' + std::to_string(minor); }
};

// The one that this process has loaded; nothing where it has none.
STRATA_RUNTIME_EXPORT std::optional<TorchRelease> loaded_torch();

// "torch-2.11.so"
STRATA_RUNTIME_EXPORT std::string torch_source_file(const TorchRelease& release);

// Where those lie that came with Strata, and where those do that were built here for this version of it:
// $XDG_CACHE_HOME or ~/.cache, strata/sources/<version>. Empty where no home is known.
STRATA_RUNTIME_EXPORT std::filesystem::path shipped_sources_folder();
STRATA_RUNTIME_EXPORT std::filesystem::path built_sources_folder();

// The file for a release, in the one folder or the other; empty where there is none.
STRATA_RUNTIME_EXPORT std::filesystem::path find_torch_source(const TorchRelease& release);

// The releases that files in a folder are for, as text, in order.
STRATA_RUNTIME_EXPORT std::vector<std::string> releases_in(const std::filesystem::path& folder);

}  // namespace strata
