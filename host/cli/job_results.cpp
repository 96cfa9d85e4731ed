// SPDX-License-Identifier: Apache-2.0
#include "host/cli/job_results.hpp"

#include <unistd.h>

#include <string>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/ranks/job_facts.hpp"
#include "host/analysis/ranks/job_json.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/report/ranks/rank_report.hpp"
#include "host/report/ranks/ranks_page.hpp"

namespace strata::cli {
namespace {

void write_files(const std::filesystem::path& run_directory, const analysis::JobFacts& job) {
  write_whole_file(run_directory / "ranks.json", analysis::ranks_document(job));
  write_whole_file(run_directory / "ranks.html", report::ranks_page(job));
}

}  // namespace

void write_job_results(const std::filesystem::path& run_directory, Printed printed) {
  bool is_first = true;
  const analysis::JobFacts job = analysis::read_job(run_directory, [&](const analysis::Facts& facts) {
    write_results(facts, run_directory, is_first ? printed : Printed::kNothing, facts.rank);
    is_first = false;
  });
  const std::string page = (run_directory / "ranks.html").string() + '\n';
  if (printed == Printed::kTable)
    print('\n' + report::rank_report(job, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
  if (to_standard_error(printed))
    complain('\n' + report::rank_report(job, wants_colour(STDERR_FILENO), columns(STDERR_FILENO)));
  write_files(run_directory, job);
  if (printed == Printed::kTable) print(page);
  if (to_standard_error(printed)) complain(page);
}

void write_rank_comparison(const std::filesystem::path& run_directory, bool json) {
  const analysis::JobFacts job = analysis::read_job(run_directory);
  print(json ? analysis::ranks_document(job)
             : report::rank_report(job, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
  write_files(run_directory, job);
  if (!json) print((run_directory / "ranks.html").string() + '\n');
}

}  // namespace strata::cli
