// `strata report`: a run's results again, also of one that was killed.
#include <memory>
#include <optional>
#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/recorded_run.hpp"
#include "host/cli/results.hpp"

namespace strata::cli {
namespace {

struct ReportArguments {
  std::string run;
  std::optional<std::uint64_t> rank;
  bool json = false;
};

void report(const ReportArguments& arguments) {
  write_results(recorded_run(arguments.run), arguments.json ? Printed::kSummary : Printed::kTable,
                arguments.rank);
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
