// `strata report`: a run's results again, also of one that was killed.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/results.hpp"
#include "host/cli/terminal.hpp"
#include "strata/runtime/recovery.hpp"

namespace strata::cli {
namespace {

struct ReportArguments {
  std::string run;
  std::optional<std::uint64_t> rank;
  bool json = false;
};

// Moves what a killed process left in its spools into the run store.
void recover(const std::filesystem::path& run) {
  for (const RecoveredStore& store : recover_run(run)) {
    if (store.rows_recovered > 0) {
      say(fmt::format("recovered {} rows of a process that did not end: {}", store.rows_recovered,
                      store.store.string()));
    }
    for (const std::string& problem : store.problems) say(problem);
  }
}

void report(const ReportArguments& arguments) {
  if (!std::filesystem::is_directory(arguments.run)) {
    throw UsageError(fmt::format(
        "{} is not a run: expected the folder that `strata run` named in its last line", arguments.run));
  }
  recover(arguments.run);
  write_results(std::filesystem::absolute(arguments.run),
                arguments.json ? Printed::kSummary : Printed::kTable, arguments.rank);
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* const command = app.add_subcommand("report", "Analyse a run again and print its memory table");
  command->add_option("RUN", arguments->run, "Folder of a run")->required();
  command->add_option("--rank", arguments->rank, "Of several ranks the one to analyse [the first]");
  command->add_flag("--json", arguments->json, "Print summary.json and nothing else");
  command->footer(
      "Recovers what a killed run left, and writes summary.json and report.html anew.\n\n"
      "Examples:\n"
      "  strata report runs/quickstart/20261121T101500Z\n"
      "  strata report runs/quickstart/20261121T101500Z --json | jq .peak\n"
      "  strata report runs/two_ranks/20261121T101500Z --rank 1");
  command->callback([arguments, &exit_code] {
    report(*arguments);
    exit_code = kDone;
  });
}

}  // namespace strata::cli
