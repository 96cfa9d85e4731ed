// SPDX-License-Identifier: Apache-2.0
// All ranks of a job: compared on the terminal, in ranks.json and in ranks.html.
#pragma once

#include <filesystem>

#include "host/cli/results.hpp"

namespace strata::cli {

// Analyses each rank, writes what each one's reader gets (results.hpp), and prints the first one's; then
// compares them, prints that, and writes ranks.json and ranks.html. kSummary prints the first rank's summary
// and nothing else. A rank that cannot be read is named. Throws as write_results does, where none can be.
void write_job_results(const std::filesystem::path& run_directory, Printed printed);

// The comparison alone: printed, as a table with the page's path as the last line or as JSON, and written.
void write_rank_comparison(const std::filesystem::path& run_directory, bool json);

}  // namespace strata::cli
