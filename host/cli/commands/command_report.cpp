// SPDX-License-Identifier: Apache-2.0
// `strata report`: a run's results again, also of one that was killed.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "host/analysis/json/scopes_json.hpp"
#include "host/analysis/json/summary_parts.hpp"
#include "host/analysis/ranks/job_facts.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/analysis/shapes/find_shapes.hpp"
#include "host/cli/arguments.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/device_peak.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/job_results.hpp"
#include "host/cli/peak_resets.hpp"
#include "host/cli/recorded_run.hpp"
#include "host/cli/results.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/report/terminal/budget.hpp"
#include "host/report/terminal/layer_table.hpp"
#include "host/report/terminal/tables.hpp"
#include "host/report/time/time_report.hpp"
#include "host/report/words/sentences.hpp"
#include "host/report/words/shapes_json.hpp"
#include "host/report/words/warm_up_json.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::cli {
namespace {

struct ReportArguments {
  std::string run;
  std::optional<std::uint64_t> rank;
  std::string device;
  bool json = false;
  bool scopes = false;
  std::vector<std::string> resets;
  bool layers = false, steps = false, warm_up = false, shapes = false, ranks = false;
  std::size_t stacks = 0;  // how many; 0: not asked for
  report::LayerTableOptions table;
  bool time = false;
  std::optional<std::size_t> top;
  std::string detail;
  std::string card;
  std::string budget;
};

// Prints without writing files: a reset is a query and not part of the run.
void report_scopes(const ReportArguments& arguments) {
  const analysis::Facts facts =
      analysis::analyse(recorded_run(arguments.run), arguments.rank, arguments.device);
  std::vector<analysis::PeakReset> resets;
  for (const std::string& where : arguments.resets) {
    for (analysis::PeakReset& reset : peak_resets(facts, where)) resets.push_back(std::move(reset));
  }
  std::vector<analysis::Scope> scopes = scopes_of(facts);
  for (analysis::Scope& scope : scopes_since(facts, std::move(resets))) scopes.push_back(std::move(scope));
  if (arguments.json) return print(scopes_json(facts, scopes));
  for (const std::string& warning : report::warning_texts(facts.warnings)) say(warning);
  print(report::scope_report(facts, scopes, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
}

void print_layers(const analysis::Facts& facts, const ReportArguments& arguments) {
  const auto& wanted = arguments.table.step;
  const auto step = std::ranges::find(facts.steps, wanted.value_or(-1), &analysis::StepFact::index);
  if (wanted && step == facts.steps.end()) {
    throw UsageError(facts.steps.empty() ? fmt::format("--step {}: the run recorded no step", *wanted)
                                         : fmt::format("--step {}: the run recorded steps {} to {}", *wanted,
                                                       facts.steps.front().index, facts.steps.back().index));
  }
  if (!arguments.json) {
    return print(
        report::layer_table(facts, arguments.table, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
  }
  const analysis::LayerTree tree =
      wanted ? layer_tree(facts, step->peak_sequence, interval_of(facts, *wanted)) : facts.layers;
  print(layers_document(facts, tree, arguments.table.depth));
}

void print_steps(const analysis::Facts& facts, const ReportArguments& arguments) {
  print(arguments.json ? analysis::steps_document(facts)
                       : report::step_table(facts, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
}

void print_warm_up(const analysis::Facts& facts, const ReportArguments& arguments) {
  if (arguments.json) return print(report::warm_up_document(facts));
  print(report::warm_up_report(facts, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
}

void print_shapes(const analysis::Facts& facts, const ReportArguments& arguments) {
  const std::vector<analysis::Shape> shapes = find_shapes(facts);
  print(arguments.json
            ? report::shapes_document(facts, shapes)
            : report::shape_table(facts, shapes, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
}

void print_time(const ReportArguments& arguments) {
  const analysis::Facts facts =
      analysis::analyse(recorded_run(arguments.run), arguments.rank, arguments.device);
  const auto peak = device_peak(facts, arguments.card);
  const std::size_t top = arguments.top.value_or(report::TimeReportOptions{}.top);
  if (!facts.time)
    throw UsageError(
        "--time: the run recorded no times. Record it with the plugin cupti_timeline (strata exec --plugins "
        "allocator_tracer,cupti_timeline; in a file plugins: [allocator_tracer, cupti_timeline])");
  if (arguments.json) return print(analysis::time_document(facts, peak, top));
  for (const std::string& warning : report::warning_texts(facts.warnings)) say(warning);
  print(report::time_report(facts,
                            {.top = top,
                             .depth = arguments.table.depth.value_or(report::TimeReportOptions{}.depth),
                             .unfold = arguments.table.unfold,
                             .steps = arguments.steps,
                             .peak = peak},
                            wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
}

void print_detail(const ReportArguments& arguments) {
  const double detail = parse_detail(arguments.detail);
  const analysis::Facts facts =
      analysis::analyse(recorded_run(arguments.run), arguments.rank, arguments.device);
  if (arguments.json) return print(detail_document(facts, detail));
  for (const std::string& warning : report::warning_texts(facts.warnings)) say(warning);
  print(report::detail_table(
      facts, {.detail = detail, .rows = arguments.top.value_or(report::DetailTableOptions{}.rows)},
      wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
}

// A run without recorded allocations fits no budget, unless it was traced and made none.
void require_memory(const analysis::Facts& facts, const std::string& run) {
  if (!traces_memory(facts) && facts.points.empty())
    throw analysis::RunError(fmt::format(
        "{}: the run recorded no memory, so its peak is unknown; record it with the plugin allocator_tracer",
        run));
}

// Whether it fits.
bool print_budget(const ReportArguments& arguments) {
  const std::uint64_t bytes = parse_size("report: --budget", arguments.budget);
  const analysis::Facts facts =
      analysis::analyse(recorded_run(arguments.run), arguments.rank, arguments.device);
  require_memory(facts, arguments.run);
  const analysis::BudgetCheck check = check_budget(facts, bytes);
  if (!arguments.json) {
    for (const std::string& warning : report::warning_texts(facts.warnings)) say(warning);
  }
  print(arguments.json ? budget_document(facts, check, report::finding_text)
                       : report::budget_report(facts, check));
  return check.fits();
}

void print_report(const ReportArguments& arguments) {
  if (!arguments.detail.empty()) return print_detail(arguments);
  if (arguments.time) return print_time(arguments);
  if (arguments.scopes) return report_scopes(arguments);
  if (arguments.stacks > 0)
    return print_stacks(recorded_run(arguments.run), arguments.stacks, arguments.rank, arguments.device);
  if (arguments.layers || arguments.steps || arguments.warm_up || arguments.shapes) {
    const analysis::Facts facts =
        analysis::analyse(recorded_run(arguments.run), arguments.rank, arguments.device);
    if (arguments.warm_up) return print_warm_up(facts, arguments);
    if (arguments.shapes) return print_shapes(facts, arguments);
    return arguments.layers ? print_layers(facts, arguments) : print_steps(facts, arguments);
  }
  const std::filesystem::path run = recorded_run(arguments.run);
  if (arguments.ranks) return write_rank_comparison(run, arguments.json);
  const bool of_all = !arguments.json && !arguments.rank && arguments.device.empty();
  if (of_all && analysis::has_several_ranks(run)) return write_job_results(run, Printed::kTable);
  write_results(run, arguments.json ? Printed::kSummary : Printed::kTable, arguments.rank, arguments.device);
}

constexpr const char* kWhatToSee = "What to see";
constexpr const char* kWhichPart = "Which part of the run";
constexpr const char* kHowMuch = "How much of it";
constexpr const char* kOutput = "Output";

// The groups show which options belong together: a list of all excluded options would hide an option's
// purpose.
class GroupedHelp : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    return " " + get_label(option->get_type_name());
  }

  // One blank line between groups.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    return text;
  }
};

struct ReportOptions {
  CLI::Option *layers, *time, *detail, *scopes, *budget, *top, *depth, *unfold;
};

void add_views(CLI::App& command, ReportArguments& arguments, ReportOptions& options) {
  options.layers = command.add_flag("--layers", arguments.layers,
                                    "Show where the memory is: a tree of modules, like du for folders");
  CLI::Option* const shapes =
      command.add_flag("--shapes", arguments.shapes,
                       "Explain the timeline's shapes, each with its bytes and a way to remove it");
  options.budget = command.add_option(
      "--budget", arguments.budget,
      "Check that the run's peak is within this size (12GiB); if not, show what filled the memory, what the "
      "recording shows about it and the command that tries changes, and exit with 4");
  options.detail = command.add_option("--detail", arguments.detail,
                                      "Show only the largest allocations, as a percentage of their number, "
                                      "like Detail on the page and in memory_viz: 10%");
  CLI::Option* const stacks = command.add_option(
      "--stacks", arguments.stacks,
      "Show which lines allocated the memory: this many of the largest stacks at the peak [10]");
  stacks->expected(0, 1)->default_str("10")->check(CLI::PositiveNumber);
  CLI::Option* const steps = command.add_flag("--steps", arguments.steps, "Show the peak of each step");
  options.scopes = command.add_flag(
      "--scopes", arguments.scopes,
      "Show the peaks of the run, the window, each epoch and each step: device use, reserved, allocated, "
      "requested, and the process's RSS; and one moment at which they are reconciled");
  options.time = command.add_flag("--time", arguments.time,
                                  "Show where the time went, by phase, module, operator and kernel, and why "
                                  "devices idled; with --steps, step by step");
  CLI::Option* const warm_up =
      command.add_flag("--warm-up", arguments.warm_up,
                       "Show from which step the run is steady, and why earlier steps are slower");
  CLI::Option* const ranks = command.add_flag(
      "--ranks", arguments.ranks,
      "Show all ranks of a job side by side: memory, which ranks are slow, one step on one clock");
  const std::array views{options.layers, shapes,         options.budget, options.detail, stacks,
                         steps,          options.scopes, options.time,   warm_up,        ranks};
  for (CLI::Option* const view : views) {
    view->group(kWhatToSee);
    // One view at a time; only --time has a form by step.
    for (CLI::Option* const other : views) {
      const bool is_time_by_step =
          (view == options.time && other == steps) || (view == steps && other == options.time);
      if (view != other && !is_time_by_step) view->excludes(other);
    }
  }
}

void add_parts(CLI::App& command, ReportArguments& arguments, const ReportOptions& options) {
  command.add_option("--rank", arguments.rank, "Rank to analyse, if the run has several [the first]")
      ->excludes("--ranks")
      ->group(kWhichPart);
  command
      .add_option(
          "--device", arguments.device,
          "Device to show the memory of: cuda:1, cpu or pinned [the most used CUDA device, or the CPU]")
      ->excludes("--ranks")
      ->group(kWhichPart);
  command.add_option("--step", arguments.table.step, "With --layers: at the peak of this step [the run's]")
      ->needs(options.layers)
      ->group(kWhichPart);
  command
      .add_option("--reset", arguments.resets,
                  "With --scopes: reset the peaks where this step or phase begins, as "
                  "torch.cuda.reset_peak_memory_stats() does; may be repeated")
      ->needs(options.scopes)
      ->group(kWhichPart);
}

void add_amounts(CLI::App& command, ReportArguments& arguments, ReportOptions& options) {
  options.depth = command
                      .add_option("--depth", arguments.table.depth,
                                  "With --layers and --time: depth of the module tree [all; 3]")
                      ->check(CLI::PositiveNumber)
                      ->group(kHowMuch);
  options.unfold =
      command
          .add_flag("--unfold", arguments.table.unfold,
                    "With --layers and --time: show each of several equal modules in its own row")
          ->group(kHowMuch);
  options.top = command
                    .add_option("--top", arguments.top,
                                "With --time and --detail: number of rows in each list [12; 40]")
                    ->check(CLI::PositiveNumber)
                    ->group(kHowMuch);
  command
      .add_option("--card", arguments.card,
                  "With --time: compare matrix products on a device with this card's peak [a dry run's own "
                  "card]; `strata devices` lists them")
      ->needs(options.time)
      ->group(kHowMuch);
}

// The help flag comes last, as what one wants to see comes first.
void add_output(CLI::App& command, ReportArguments& arguments) {
  command
      .add_flag("--json", arguments.json,
                "Print only summary.json; with --scopes, --layers, --steps, --shapes, --detail, --warm-up, "
                "--ranks or --time, print those as JSON")
      ->excludes("--stacks")
      ->group(kOutput);
  command.set_help_flag("-h,--help", "Print this help message and exit")->group(kOutput);
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* const command = app.add_subcommand("report", "Analyse a run again and print its memory table");
  auto help = std::make_shared<GroupedHelp>();
  help->column_width(app.get_formatter()->get_column_width());
  command->formatter(help);
  command->set_help_flag();
  command->add_option("RUN", arguments->run, "Folder of a run, or a snapshot of torch.cuda.memory")
      ->required();
  ReportOptions options{};
  add_views(*command, *arguments, options);
  add_parts(*command, *arguments, options);
  add_amounts(*command, *arguments, options);
  add_output(*command, *arguments);
  command->footer(
      "A snapshot is a file of torch.cuda.memory._dump_snapshot(); Strata writes a run made from it next to "
      "it.\n"
      "Recovers the records of a killed run, and writes summary.json and report.html again; with --device, "
      "their\n"
      "names contain the device. If the run has several ranks, it shows the first, then all side by side, "
      "and also\n"
      "writes ranks.html and ranks.json; --rank shows one alone. With --scopes, --layers, --steps, "
      "--shapes,\n"
      "--detail, --warm-up or --time it only prints.\n\n"
      "Examples:\n"
      "  strata report runs/quickstart/20261121T101500Z\n"
      "  strata report snapshot.pickle\n"
      "  strata report runs/quickstart/20261121T101500Z --json | jq .peak\n"
      "  strata report runs/quickstart/20261121T101500Z --layers --depth 2\n"
      "  strata report runs/quickstart/20261121T101500Z --stacks 5\n"
      "  strata report runs/quickstart/20261121T101500Z --steps\n"
      "  strata report runs/quickstart/20261121T101500Z --warm-up\n"
      "  strata report runs/quickstart/20261121T101500Z --shapes\n"
      "  strata report runs/quickstart/20261121T101500Z --detail 10%\n"
      "  strata report runs/quickstart/20261121T101500Z --time --top 20\n"
      "  strata report runs/quickstart/20261121T101500Z --scopes\n"
      "  strata report runs/quickstart/20261121T101500Z --scopes --reset step=1 --reset "
      "step=2,phase=backward\n"
      "  strata report runs/quickstart/20261121T101500Z --budget 12GiB\n"
      "  strata report runs/two_ranks/20261121T101500Z --ranks\n"
      "  strata report runs/two_ranks/20261121T101500Z --rank 1\n"
      "  strata report runs/offloaded/20261121T101500Z --device pinned");
  command->callback([arguments, options, &exit_code] {
    const bool has_time = options.time->count() > 0;
    if (options.top->count() > 0 && !has_time && options.detail->count() == 0)
      throw UsageError("--top needs --time or --detail");
    for (const CLI::Option* const option : {options.depth, options.unfold}) {
      if (option->count() > 0 && options.layers->count() == 0 && !has_time)
        throw UsageError(fmt::format("{} needs --layers or --time", option->get_name()));
    }
    exit_code = kDone;
    if (options.budget->count() == 0) return print_report(*arguments);
    if (!print_budget(*arguments)) exit_code = kGateFailed;
  });
}

}  // namespace strata::cli
