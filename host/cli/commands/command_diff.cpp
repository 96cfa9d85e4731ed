// SPDX-License-Identifier: Apache-2.0
// `strata diff`: what new runs do otherwise than their base, and whether that is too much.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "host/analysis/diff/run_diff.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/recorded_run.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/reading/setting_differences.hpp"
#include "host/report/markdown/diff_markdown.hpp"
#include "host/report/terminal/tables.hpp"
#include "host/report/words/sentences.hpp"

namespace strata::cli {
namespace {

struct DiffArguments {
  std::string base;
  std::vector<std::string> now;
  std::vector<std::string> gates;
  std::optional<std::uint64_t> rank;
  std::string device;
  std::size_t top = 10;
  bool json = false;
  bool markdown = false;
};

// Empty for runs of programs without one of our configurations.
std::vector<analysis::SettingChange> settings_that_differ(const std::filesystem::path& base,
                                                          const std::filesystem::path& now) {
  std::vector<analysis::SettingChange> settings;
  const auto old_file = base / "config.yaml", new_file = now / "config.yaml";
  if (!std::filesystem::exists(old_file) || !std::filesystem::exists(new_file)) return settings;
  for (auto& each : config::setting_differences(old_file, new_file))
    settings.push_back({std::move(each.key), std::move(each.base), std::move(each.other)});
  return settings;
}

std::string text(const std::vector<analysis::RunDiff>& diffs, const DiffArguments& arguments) {
  const bool are_two = diffs.size() == 1;
  if (arguments.json)
    return are_two ? diff_document(diffs.front(), report::warnings_of)
                   : diffs_document(diffs, report::warnings_of);
  if (arguments.markdown) return report::diff_markdown(diffs, arguments.top);
  const bool colour = wants_colour(STDOUT_FILENO);
  const int width = columns(STDOUT_FILENO);
  return are_two ? report::diff_table(diffs.front(), arguments.top, colour, width)
                 : report::runs_table(diffs, colour, width);
}

int diff(const DiffArguments& arguments) try {
  std::vector<analysis::Gate> gates;
  gates.reserve(arguments.gates.size());
  for (const std::string& expression : arguments.gates) gates.emplace_back(expression);
  const std::filesystem::path base = recorded_run(arguments.base);
  const analysis::Facts base_facts = analysis::analyse(base, arguments.rank, arguments.device);
  std::vector<analysis::RunDiff> diffs;
  for (const std::string& folder : arguments.now) {
    const std::filesystem::path now = recorded_run(folder);
    diffs.push_back(analysis::diff_runs(base_facts, analysis::analyse(now, arguments.rank, arguments.device),
                                        settings_that_differ(base, now), gates));
  }
  print(text(diffs, arguments));
  return std::ranges::any_of(diffs, &analysis::RunDiff::fails) ? kGateFailed : kDone;
} catch (const analysis::GateError& error) {
  throw UsageError(fmt::format("--fail-if {}", error.what()));
}

}  // namespace

void add_diff_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<DiffArguments>();
  CLI::App* const command =
      app.add_subcommand("diff", "Compare runs, and fail when a new run needs too much");
  command
      ->add_option("BASE", arguments->base,
                   "Folder of the run to compare with, or a snapshot of torch.cuda.memory")
      ->required();
  command
      ->add_option("NEW", arguments->now,
                   "Folder of the new run; several are compared with the base side by side")
      ->required();
  command
      ->add_option(
          "--fail-if", arguments->gates,
          "Exit with 4 when the new run passes this limit, such as 'peak_allocated>+2%'; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--top", arguments->top, "Number of rows for kinds, layers and allocations [10]")
      ->check(CLI::PositiveNumber);
  command->add_option("--rank", arguments->rank, "Rank to compare, if the run has several [the first]");
  command->add_option("--device", arguments->device,
                      "Device to show the memory of: cuda:1, cpu or pinned [as in `strata report`]");
  command->add_flag("--json", arguments->json,
                    "Print everything as JSON (strata.diff/1; of several runs strata.diffs/1)");
  command
      ->add_flag("--markdown", arguments->markdown,
                 "Print Markdown tables, for a CI job's summary or a comment on a pull request")
      ->excludes("--json");
  command->footer(
      "A gate is NAME>LIMIT or NAME<LIMIT.\n\n"
      "Names for the window: peak_allocated, peak_reserved, peak_requested, peak_device_used, peak_resident. "
      "Names\n"
      "for the whole run: run_peak_allocated, run_peak_reserved, run_peak_device_used. Other names: "
      "step_time,\n"
      "throughput, category.Activation, kind.Activation.saved, layer.layers.*.attn, phase.forward. A * at "
      "the end\n"
      "matches all names that begin this way.\n\n"
      "Limits: +2% or -5% of the base, +100MiB, +5ms, or an absolute value such as 24GiB.\n\n"
      "Exit codes: 0 compared; 2 wrong usage; 4 a gate failed.\n\n"
      "Examples:\n"
      "  strata diff runs/base/20261121T101500Z runs/new/20261121T102000Z\n"
      "  strata diff out-adamw out-sgd out-lion\n"
      "  strata diff base new --fail-if 'peak_allocated>+2%' --fail-if 'step_time>+5%'\n"
      "  strata diff base new --fail-if 'category.Unknown>0B' --json | jq .gates\n"
      "  strata diff base new --markdown >> \"$GITHUB_STEP_SUMMARY\"");
  command->callback([arguments, &exit_code] { exit_code = diff(*arguments); });
}

}  // namespace strata::cli
