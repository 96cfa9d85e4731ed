#include "host/cli/results.hpp"

#include <unistd.h>

#include <string>

#include "host/analysis/analyse.hpp"
#include "host/analysis/summary.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/report/page.hpp"
#include "host/report/terminal.hpp"

namespace strata::cli {

void write_results(const std::filesystem::path& run_directory, bool json) {
  const analysis::Facts facts = analysis::analyse(run_directory);
  const std::string summary = analysis::summary_json(facts);
  print(json ? summary : report::terminal_report(facts, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));

  const std::filesystem::path page = run_directory / "report.html";
  write_whole_file(run_directory / "summary.json", summary);
  write_whole_file(page, report::page(facts));
  if (!json) print(page.string() + '\n');
}

}  // namespace strata::cli
