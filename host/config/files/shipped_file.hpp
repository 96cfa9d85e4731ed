// SPDX-License-Identifier: Apache-2.0
// Configurations shipped with Strata, for users with an installation and no checkout.
#pragma once

#include <filesystem>

namespace strata::config {

// `named` if it exists or Strata ships no such file; else the file in share/strata next to the program's
// folder, as for "configs/lora-7b.yaml". Absolute paths are unchanged.
std::filesystem::path shipped_file(const std::filesystem::path& named);

}  // namespace strata::config
