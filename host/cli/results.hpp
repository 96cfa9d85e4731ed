// SPDX-License-Identifier: Apache-2.0
// Writes the results of a run's folder: summary.json, report.html, epoch_peak_memory.csv if epochs were
// counted, and the table or the summary on standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::cli {

// What to print on standard output, or on standard error if standard output belongs to another program. The
// short report is one screen.
enum class Printed { kTable, kTableToStandardError, kShortToStandardError, kSummary, kNothing };

constexpr bool to_standard_error(Printed printed) {
  return printed == Printed::kTableToStandardError || printed == Printed::kShortToStandardError;
}

// Analyses the run (if it has several ranks, the named one, or the first that recorded memory) and prints to
// standard output: the table, ending with the page's path, or only the summary. The table is printed before
// the files are written, so that a full disk or a folder of another user does not hide it. Files go to the
// run's folder, or for other ranks than the first to the rank's folder; those for a requested `device` have
// its name in theirs (report-cuda-1.html). Throws the exceptions of analysis, and std::runtime_error if
// nothing can be written.
void write_results(const std::filesystem::path& run_directory, Printed printed,
                   std::optional<std::uint64_t> rank = {}, const std::string& device = {});

// The same for existing facts.
void write_results(const analysis::Facts& facts, const std::filesystem::path& run_directory, Printed printed,
                   std::optional<std::uint64_t> rank, const std::string& device = {});

// Prints the `count` largest stacks alive at the peak to standard output; writes no files.
void print_stacks(const std::filesystem::path& run_directory, std::size_t count,
                  std::optional<std::uint64_t> rank, const std::string& device);

}  // namespace strata::cli
