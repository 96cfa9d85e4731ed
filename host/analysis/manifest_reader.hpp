#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/analysis/recording.hpp"

namespace strata::analysis {

// Adds to `run` what manifest.json says of sources, plugins, a dry device and what steps count. A run writes
// it when it begins, so that also a killed one has it; one that is missing or cannot be understood is a
// warning.
void read_manifest(const std::filesystem::path& manifest, Recording& run, std::vector<std::string>& warnings);

}  // namespace strata::analysis
