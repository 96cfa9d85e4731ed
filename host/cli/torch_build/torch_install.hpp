// SPDX-License-Identifier: Apache-2.0
// A torch on this machine, with the data needed to build the source of its events.
#pragma once

#include <filesystem>
#include <vector>

#include "strata/runtime/torch_release.hpp"

namespace strata::cli {

struct TorchInstall {
  TorchRelease release;
  bool has_cuda = false;                        // built with CUDA
  std::vector<std::filesystem::path> includes;  // of torch, and of CUDA if built with it
};

// `root`: the `torch` folder of a wheel or a conda package, or an unpacked LibTorch. Throws UsageError, with
// the remedy, if it is another folder or CUDA's headers are missing.
TorchInstall torch_install(const std::filesystem::path& root);

}  // namespace strata::cli
