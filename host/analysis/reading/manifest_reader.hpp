// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace strata::analysis {

struct Recording;

// Adds to `run` the manifest's sources, plugins, dry device and unit of steps, but not the values returned by
// the functions below. The manifest is written when the run begins, so a killed run also has it; if it is
// missing or invalid, adds a warning.
void read_manifest(const std::filesystem::path& manifest, Recording& run, std::vector<std::string>& warnings);

// The pid in the manifest; empty if it is missing.
std::optional<std::uint64_t> manifest_pid(const std::filesystem::path& manifest);

// The settings of torch's allocator (Recording::allocator_settings), which are needed to interpret a store's
// segments; empty if missing.
std::optional<std::string> manifest_allocator_settings(const std::filesystem::path& manifest);

}  // namespace strata::analysis
