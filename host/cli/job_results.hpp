// SPDX-License-Identifier: Apache-2.0
// Compares all ranks of a job: on the terminal, in ranks.json and in ranks.html.
#pragma once

#include <filesystem>

#include "host/cli/results.hpp"

namespace strata::cli {

// Analyses each rank, writes its results (results.hpp), and prints those of the first one. Then compares the
// ranks, prints the comparison, and writes ranks.json and ranks.html. kSummary prints only the first rank's
// summary. Unreadable ranks are named. Throws like write_results if no rank can be read.
void write_job_results(const std::filesystem::path& run_directory, Printed printed);

// Only the comparison: prints it, as a table ending with the page's path or as JSON, and writes the files.
void write_rank_comparison(const std::filesystem::path& run_directory, bool json);

}  // namespace strata::cli
