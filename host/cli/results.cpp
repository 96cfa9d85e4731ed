// SPDX-License-Identifier: Apache-2.0
#include "host/cli/results.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include "host/analysis/analyse.hpp"
#include "host/analysis/summary.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/report/epoch_peaks.hpp"
#include "host/report/page_data/page.hpp"
#include "host/report/terminal/short_report.hpp"
#include "host/report/terminal/stack_lines.hpp"
#include "host/report/terminal/terminal.hpp"
#include "host/report/words/sentences.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::cli {

namespace {

// For a requested device "report-cuda-1.html": the run's default report is not overwritten.
std::string file_name(std::string_view what, std::string device, std::string_view ending) {
  std::ranges::replace(device, ':', '-');
  return fmt::format("{}{}{}{}", what, device.empty() ? "" : "-", device, ending);
}

// Relative to the current folder if that is shorter.
std::string shortest(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::string nearby = std::filesystem::proximate(path, ignored).string();
  return !nearby.empty() && nearby.size() < path.string().size() ? nearby : path.string();
}

}  // namespace

void write_results(const std::filesystem::path& run_directory, Printed printed,
                   std::optional<std::uint64_t> rank, const std::string& device) {
  write_results(analysis::analyse(run_directory, rank, device), run_directory, printed, rank, device);
}

void write_results(const analysis::Facts& facts, const std::filesystem::path& run_directory, Printed printed,
                   std::optional<std::uint64_t> rank, const std::string& device) {
  const std::string summary =
      analysis::summary_json(facts, report::finding_text, report::warning_texts(facts.warnings));
  if (printed == Printed::kSummary) print(summary);
  if (printed == Printed::kTable)
    print(report::terminal_report(facts, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
  if (printed == Printed::kTableToStandardError)
    complain(report::terminal_report(facts, wants_colour(STDERR_FILENO), columns(STDERR_FILENO)));
  if (printed == Printed::kShortToStandardError) {
    complain(report::short_report(facts, shortest(run_directory), wants_colour(STDERR_FILENO),
                                  columns(STDERR_FILENO)));
  }

  const std::filesystem::path folder =
      rank.value_or(0) == 0 ? run_directory : run_directory / fmt::format("rank{}", *rank);
  if (std::error_code ignored; folder != run_directory && std::filesystem::is_symlink(folder, ignored)) {
    say(fmt::format("{} is a symbolic link, which may lead out of the run: no page is written there",
                    folder.string()));
    return;
  }
  const std::filesystem::path page = folder / file_name("report", device, ".html");
  write_whole_file(folder / file_name("summary", device, ".json"), summary);
  write_whole_file(page, report::page(facts));
  if (const std::string epochs = report::epoch_peaks(scopes_of(facts)); !epochs.empty())
    write_whole_file(folder / "epoch_peak_memory.csv", epochs);
  if (printed == Printed::kTable) print(page.string() + '\n');
  if (to_standard_error(printed)) complain(page.string() + '\n');
}

void print_stacks(const std::filesystem::path& run_directory, std::size_t count,
                  std::optional<std::uint64_t> rank, const std::string& device) {
  const analysis::Facts facts = analysis::analyse(run_directory, rank, device);
  print(report::stacks_at_peak(facts, count, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
}

}  // namespace strata::cli
