// SPDX-License-Identifier: Apache-2.0
// How a session in somebody else's program is opened: `strata exec` writes it as a file, whose path it hands
// to the program in STRATA_EXEC, and every process that loads torch reads it.
#pragma once

#include <filesystem>
#include <string>

#include "strata/runtime/options.hpp"

namespace strata::drop_in {

inline constexpr const char* kSettingsVariable = "STRATA_EXEC";
// Where the preload library finds what to open once torch is there.
inline constexpr const char* kAttachVariable = "STRATA_ATTACH";

// One JSON object, of what `options` holds without its rank, its world size and its manifest's place.
std::string settings_text(const SessionOptions& options);

// Throws std::runtime_error, which names the file, when it is not there or is none.
SessionOptions read_settings(const std::filesystem::path& file);

// The manifest's section `allocator`: what torch will read of this process's environment where its CUDA
// allocator begins.
std::string allocator_text();

}  // namespace strata::drop_in
