#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

// Appends what manifest.json says of sources and plugins. A run writes it when it begins, so that also a
// killed one has it; one that is missing or cannot be understood is a warning.
void read_manifest(const std::filesystem::path& manifest, std::vector<PluginFact>& plugins,
                   std::vector<std::string>& warnings);

}  // namespace strata::analysis
