// SPDX-License-Identifier: Apache-2.0
// LibTorch for the parts that hold torch, where they do not find it by themselves: an installed Strata has no
// path of it built in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "strata/runtime/catalogue.hpp"

namespace strata::cli {

// What a torch folder of one's own is named by, before all others.
inline constexpr const char* kTorchRootVariable = "STRATA_TORCH_ROOT";

struct TorchPlace {
  std::filesystem::path
      root;  // the folder that has lib/libtorch_cpu.so: a wheel's `torch`, or an unpacked LibTorch
  std::string found_by;  // "STRATA_TORCH_ROOT", "python3"
  std::string release;   // "2.11.0"; empty where the folder does not say
};

// Whether the environment names one, which holds over what a build knows.
bool names_torch();

// STRATA_TORCH_ROOT, else the torch of the python3 in PATH. Throws UsageError: there is none, or of a release
// that no part of this Strata was built for.
TorchPlace find_torch();

// Of a part that holds torch, lib/strata/<part>, the file that was built for this torch's release.
std::filesystem::path part_for_torch(const TorchPlace& place, const std::filesystem::path& part);

// Opens these of its libraries ("libc10.so"), in this order, for the rest of the process. Whoever needs one
// by its name finds it from there on. Throws UsageError.
void open_torch(const TorchPlace& place, const std::vector<std::string>& libraries);

// All sources, with torch opened for those that need it and are refused without, where there is one.
std::vector<PluginDescription> sources_with_torch();

}  // namespace strata::cli
