// SPDX-License-Identifier: Apache-2.0
// From a run's folder to what its reader gets: summary.json, report.html, epoch_peak_memory.csv where epochs
// were counted, and the table or the summary on standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::cli {

// What of a run's results goes to standard output, or, where that is another program's, to standard error.
// The short one is one screen.
enum class Printed { kTable, kTableToStandardError, kShortToStandardError, kSummary, kNothing };

constexpr bool to_standard_error(Printed printed) {
  return printed == Printed::kTableToStandardError || printed == Printed::kShortToStandardError;
}

// Analyses the run, of several ranks the one that is named, else the first that recorded memory, and prints
// to standard output: the table and, as the last line, the page's path; or the summary and nothing else. The
// table comes before the files are written, so that a full disk or a folder of somebody else's does not hide
// it. They lie in the run's folder, another rank's than the first in that rank's; those of a `device` that
// was asked for have its name in theirs (report-cuda-1.html). Throws what analysis
// throws, and std::runtime_error where nothing can be written.
void write_results(const std::filesystem::path& run_directory, Printed printed,
                   std::optional<std::uint64_t> rank = {}, const std::string& device = {});

// The same of facts that are there already.
void write_results(const analysis::Facts& facts, const std::filesystem::path& run_directory, Printed printed,
                   std::optional<std::uint64_t> rank, const std::string& device = {});

// Prints the `count` largest stacks of what is alive at the peak to standard output, and writes nothing.
void print_stacks(const std::filesystem::path& run_directory, std::size_t count,
                  std::optional<std::uint64_t> rank, const std::string& device);

}  // namespace strata::cli
