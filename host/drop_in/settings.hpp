// SPDX-License-Identifier: Apache-2.0
// The settings of a session in a user's program: `strata exec` writes them to a file, passes its path to the
// program in STRATA_EXEC, and every process that loads torch reads it.
#pragma once

#include <filesystem>
#include <string>

#include "strata/runtime/options.hpp"

namespace strata::drop_in {

inline constexpr const char* kSettingsVariable = "STRATA_EXEC";
// Names the library that the preload library opens once torch is loaded.
inline constexpr const char* kAttachVariable = "STRATA_ATTACH";

// One JSON object with `options`, except its rank, its world size and its manifest's path.
std::string settings_text(const SessionOptions& options);

// Throws std::runtime_error, which names the file, if it does not exist or is invalid.
SessionOptions read_settings(const std::filesystem::path& file);

// The manifest's section `allocator`: the variables of this process that torch reads when its CUDA allocator
// starts.
std::string allocator_text();

}  // namespace strata::drop_in
