#include "host/cli/results.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "host/analysis/analyse.hpp"
#include "host/analysis/summary.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/report/page.hpp"
#include "host/report/terminal.hpp"

namespace strata::cli {

void write_results(const std::filesystem::path& run_directory, Printed printed,
                   std::optional<std::uint64_t> rank) {
  const analysis::Facts facts = analysis::analyse(run_directory, rank);
  const std::string summary = analysis::summary_json(facts);
  if (printed == Printed::kSummary) print(summary);
  if (printed == Printed::kTable)
    print(report::terminal_report(facts, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));

  const std::filesystem::path folder =
      rank.value_or(0) == 0 ? run_directory : run_directory / fmt::format("rank{}", *rank);
  const std::filesystem::path page = folder / "report.html";
  write_whole_file(folder / "summary.json", summary);
  write_whole_file(page, report::page(facts));
  if (printed == Printed::kTable) print(page.string() + '\n');
}

}  // namespace strata::cli
