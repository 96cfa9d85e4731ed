// From a run's folder to what its reader gets: summary.json, report.html, and the table or the summary on
// standard output.
#pragma once

#include <filesystem>

namespace strata::cli {

// Analyses the run and prints to standard output: the table and, as the last line, the page's path; or with
// `json` the summary and nothing else. The table comes before the files are written, so that a full disk or a
// folder of somebody else's does not hide it. Throws what analysis throws, and std::runtime_error where
// nothing can be written.
void write_results(const std::filesystem::path& run_directory, bool json);

}  // namespace strata::cli
