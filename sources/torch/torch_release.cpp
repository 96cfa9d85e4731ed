// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/torch_release.hpp"

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/headeronly/version.h>

namespace strata::torch_source {
namespace {

std::string release_text(std::uint64_t release) {
  const auto number = [release](unsigned shift) { return std::to_string((release >> shift) & 0xFF); };
  return number(56) + "." + number(48) + "." + number(40);
}

}  // namespace

std::uint64_t loaded_torch_release() {
  return aoti_torch_abi_version();
}

std::string release_mismatch(std::uint64_t loaded) {
  if (loaded == TORCH_ABI_VERSION) return {};
  return "built for torch " TORCH_VERSION ", but this process has loaded torch " + release_text(loaded) +
         ", and torch's C++ ABI differs between releases. Build Strata against that one "
         "(-DSTRATA_TORCH_ROOT=<its torch folder>), or run with torch " TORCH_VERSION ".";
}

}  // namespace strata::torch_source
