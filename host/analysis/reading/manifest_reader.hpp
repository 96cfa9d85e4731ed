// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace strata::analysis {

struct Recording;

// Adds to `run` what manifest.json says of sources, plugins, a dry device and what steps count, but not what
// the functions below give. A run writes it when it begins, so that also a killed one has it; one that is
// missing or cannot be understood is a warning.
void read_manifest(const std::filesystem::path& manifest, Recording& run, std::vector<std::string>& warnings);

// The process that it tells of; nothing where it is missing or does not say.
std::optional<std::uint64_t> manifest_pid(const std::filesystem::path& manifest);

// The settings of torch's allocator (Recording::allocator_settings), without which a store's segments cannot
// be understood; nothing where it is missing or does not say.
std::optional<std::string> manifest_allocator_settings(const std::filesystem::path& manifest);

}  // namespace strata::analysis
