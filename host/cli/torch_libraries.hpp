// SPDX-License-Identifier: Apache-2.0
// LibTorch for the parts that link it, if they do not find it themselves: an installed Strata has no built-in
// path to it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "strata/runtime/catalogue.hpp"

namespace strata::cli {

// Names the torch folder to use; has the highest priority.
inline constexpr const char* kTorchRootVariable = "STRATA_TORCH_ROOT";

struct TorchPlace {
  std::filesystem::path
      root;              // the folder with lib/libtorch_cpu.so: a wheel's `torch`, or an unpacked LibTorch
  std::string found_by;  // "STRATA_TORCH_ROOT", "python3"
  std::string release;   // "2.11.0"; empty if the folder does not contain it
};

// Whether the environment names one, which overrides the one used for the build.
bool names_torch();

// STRATA_TORCH_ROOT, else the torch of the python3 in PATH. Throws UsageError if there is none, or if no part
// of this Strata was built for its release.
TorchPlace find_torch();

// The file of a part that links torch, lib/strata/<part>, that was built for this torch's release.
std::filesystem::path part_for_torch(const TorchPlace& place, const std::filesystem::path& part);

// Opens these libraries of torch ("libc10.so"), in this order, for the rest of the process. Other libraries
// then find them by name. Throws UsageError.
void open_torch(const TorchPlace& place, const std::vector<std::string>& libraries);

// All sources, with torch opened, if available, for those that cannot be loaded without it.
std::vector<PluginDescription> sources_with_torch();

}  // namespace strata::cli
