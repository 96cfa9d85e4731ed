// From a run's folder to what its reader gets: summary.json, report.html, and the table or the summary on
// standard output.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace strata::cli {

// What of a run's results goes to standard output.
enum class Printed { kTable, kSummary, kNothing };

// Analyses the run, of several ranks the one that is named, else the first that recorded memory, and prints
// to standard output: the table and, as the last line, the page's path; or the summary and nothing else. The
// table comes before the files are written, so that a full disk or a folder of somebody else's does not hide
// it. They lie in the run's folder, another rank's than the first in that rank's. Throws what analysis
// throws, and std::runtime_error where nothing can be written.
void write_results(const std::filesystem::path& run_directory, Printed printed,
                   std::optional<std::uint64_t> rank = {});

}  // namespace strata::cli
