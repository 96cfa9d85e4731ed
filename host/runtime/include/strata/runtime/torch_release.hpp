// SPDX-License-Identifier: Apache-2.0
// The source of torch's events is a separate file for each release of torch, because torch's C++ ABI changes
// between releases: a file compiled for one release, or with its CUDA half for one toolkit, fits no other.
// The libtorch loaded by the process decides which file is needed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "strata/runtime/export.hpp"

namespace strata {

struct TorchRelease {
  std::string version;         // as torch reports it: "2.11.0+cu130", "2.11.0+cpu", "2.12.0a0+gitd4f3a1b"
  std::filesystem::path root;  // the folder that contains lib/ and include/
};

// The version of the torch in a folder: a wheel has it in version.py, an unpacked LibTorch in build-version.
// Empty if neither file exists.
STRATA_RUNTIME_EXPORT std::string torch_version(const std::filesystem::path& root);

// For a torch of known number. A missing suffix is added, "+cuda" or "+cpu", according to its libraries.
STRATA_RUNTIME_EXPORT TorchRelease torch_release(std::filesystem::path root, const std::string& number);

// The torch loaded by this process; empty if there is none.
STRATA_RUNTIME_EXPORT std::optional<TorchRelease> loaded_torch();

// "torch-2.11.1+cu130.so"
STRATA_RUNTIME_EXPORT std::string torch_source_file(const TorchRelease& release);

// The folder of the sources built on this machine for this version of Strata: $XDG_CACHE_HOME or ~/.cache,
// strata/sources/<version>. Empty if no home folder is known.
STRATA_RUNTIME_EXPORT std::filesystem::path built_sources_folder();

// The file for a release in STRATA_PLUGIN_PATH or shipped with Strata: for exactly this torch, else for the
// same number built with another CUDA release. Empty if there is none.
STRATA_RUNTIME_EXPORT std::filesystem::path find_shipped_torch_source(const TorchRelease& release);

// The same. If there is none, a file built on this machine (`strata build-source` checks whether it was built
// from this Strata's sources). Otherwise a shipped file for another variant of the release, as for the host's
// own trainer.
STRATA_RUNTIME_EXPORT std::filesystem::path find_torch_source(const TorchRelease& release);

// The torch versions for which Strata ships sources, sorted.
STRATA_RUNTIME_EXPORT std::vector<std::string> shipped_torches();

// The folders shipped for other torch releases than the one that this Strata was built with:
// lib/strata/torch-2.12.1 and others, each with a trainer and its files. Only a wheel (tools/wheel) has them,
// a build tree does not.
STRATA_RUNTIME_EXPORT std::vector<std::filesystem::path> other_torch_folders();

// The torch versions for which built_sources_folder() has files.
STRATA_RUNTIME_EXPORT std::vector<std::string> built_torches();

}  // namespace strata
