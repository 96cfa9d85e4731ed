// SPDX-License-Identifier: Apache-2.0
// The source of torch's events is a file for each torch, whose C++ ABI moves between releases: what was
// compiled for one release, or with CUDA's half for one toolkit, fits no other. Which one is wanted, the
// libtorch says that the process has loaded.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "strata/runtime/export.hpp"

namespace strata {

struct TorchRelease {
  std::string version;         // as it calls itself: "2.11.0+cu130", "2.11.0+cpu", "2.12.0a0+gitd4f3a1b"
  std::filesystem::path root;  // the folder that has its lib/ and include/
};

// What the torch of a folder calls itself: a wheel in version.py, an unpacked LibTorch in build-version;
// empty when neither is there.
STRATA_RUNTIME_EXPORT std::string torch_version(const std::filesystem::path& root);

// Of a torch whose own number is known; where it says no more, with "+cuda" or "+cpu", as its libraries are.
STRATA_RUNTIME_EXPORT TorchRelease torch_release(std::filesystem::path root, const std::string& number);

// The one that this process has loaded; nothing where it has none.
STRATA_RUNTIME_EXPORT std::optional<TorchRelease> loaded_torch();

// "torch-2.11.1+cu130.so"
STRATA_RUNTIME_EXPORT std::string torch_source_file(const TorchRelease& release);

// Where those lie that were built here for this version of Strata: $XDG_CACHE_HOME or ~/.cache,
// strata/sources/<version>. Empty where no home is known.
STRATA_RUNTIME_EXPORT std::filesystem::path built_sources_folder();

// The file for a release that lies in STRATA_PLUGIN_PATH or came with Strata: for this very torch, else for
// the same number built with another release of CUDA. Empty where there is none.
STRATA_RUNTIME_EXPORT std::filesystem::path find_shipped_torch_source(const TorchRelease& release);

// The same, else one that was built here (whether of this Strata's very sources, `strata build-source`
// knows), else what came for another variant of the release, as the host's own trainer did that it is for
// then.
STRATA_RUNTIME_EXPORT std::filesystem::path find_torch_source(const TorchRelease& release);

// The torches that the sources which came with Strata are for, sorted.
STRATA_RUNTIME_EXPORT std::vector<std::string> shipped_torches();

// The folders of what came for releases of torch beside the one that this Strata was built with:
// lib/strata/torch-2.12.1 and others, each with a trainer and what goes with it. A wheel has them
// (tools/wheel); a build tree has none.
STRATA_RUNTIME_EXPORT std::vector<std::filesystem::path> other_torch_folders();

// Those that files in built_sources_folder() are for.
STRATA_RUNTIME_EXPORT std::vector<std::string> built_torches();

}  // namespace strata
