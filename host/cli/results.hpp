// From a run's folder to what its reader gets: summary.json, report.html, and the table or the summary on
// standard output.
#pragma once

#include <filesystem>

namespace strata::cli {

// Analyses the run, writes both files into its folder, and prints to standard output: the table and, as the
// last line, the page's path; or with `json` the summary and nothing else. Throws what analysis and report
// throw.
void write_results(const std::filesystem::path& run_directory, bool json);

}  // namespace strata::cli
