// SPDX-License-Identifier: Apache-2.0
// A torch on this machine, as far as the source of its events can be built against it.
#pragma once

#include <filesystem>
#include <vector>

#include "strata/runtime/torch_release.hpp"

namespace strata::cli {

struct TorchInstall {
  TorchRelease release;
  bool has_cuda = false;                        // it was built with CUDA
  std::vector<std::filesystem::path> includes;  // torch's, and CUDA's where it has that
};

// `root`: the `torch` folder of a wheel, of conda's package, or an unpacked LibTorch. Throws UsageError, with
// the remedy, where it is none or where CUDA's headers are missing.
TorchInstall torch_install(const std::filesystem::path& root);

}  // namespace strata::cli
