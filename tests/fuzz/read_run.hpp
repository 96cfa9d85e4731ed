// SPDX-License-Identifier: Apache-2.0
// Everything that Strata produces from a recorded run.
#pragma once

#include <filesystem>
#include <string>

namespace strata::fuzz {

// Pages, tables, documents and exports of one device's memory and of times, and of all ranks if there are
// several. Each throws analysis::RunError or is well-formed: JSON that parses, lines without control
// characters.
void read_run(const std::filesystem::path& run, const std::string& device);

}  // namespace strata::fuzz
