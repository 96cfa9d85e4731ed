// A run's facts as one self-contained HTML file, which opens offline.
#pragma once

#include <filesystem>

#include "host/analysis/facts.hpp"

namespace strata::report {

// Writes the page beside its destination and renames it there: whoever opens `html` sees the old page or the
// new one, never a part. Throws std::runtime_error with the path and the cause; nothing is left behind then.
// Any thread.
void write_page(const analysis::Facts& facts, const std::filesystem::path& html);

}  // namespace strata::report
