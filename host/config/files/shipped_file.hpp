// SPDX-License-Identifier: Apache-2.0
// Configurations that Strata brings along, for who has an installation and no checkout.
#pragma once

#include <filesystem>

namespace strata::config {

// `named`, where it exists or Strata has none of that name; else the file of share/strata beside the
// program's folder, as for "configs/lora-7b.yaml". Absolute paths stay as they are.
std::filesystem::path shipped_file(const std::filesystem::path& named);

}  // namespace strata::config
