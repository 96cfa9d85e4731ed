// SPDX-License-Identifier: Apache-2.0
// `strata export`: a run in the form that another tool reads.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "host/analysis/analyse.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/output_file.hpp"
#include "host/cli/recorded_run.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/training/interrupt.hpp"
#include "host/cli/training/progress.hpp"
#include "host/cli/usage_error.hpp"
#include "host/export/csv.hpp"
#include "host/export/folded.hpp"
#include "host/export/gzip.hpp"
#include "host/export/json.hpp"
#include "host/export/snapshot/memory_viz.hpp"
#include "host/export/trace/chrome.hpp"
#include "host/report/ranks/rank_findings.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::cli {
namespace {

struct ExportArguments {
  std::string run, out;
  std::string format;
  std::optional<std::string> table;
  std::optional<std::uint64_t> rank;
  std::string device;
  bool all_ranks = false;

  bool compresses() const { return out.ends_with(".gz"); }
};

struct Interrupted {};

// On a terminal, a bar on standard error that is gone at the end.
class ExportProgress {
 public:
  ExportProgress() : shows_(is_terminal(STDERR_FILENO)) { draw("reading the run"); }
  ~ExportProgress() { clear(); }
  ExportProgress(const ExportProgress&) = delete;
  ExportProgress& operator=(const ExportProgress&) = delete;

  void clear() const { draw(""); }

  // Throws Interrupted after Ctrl-C.
  static void go_on() {
    if (InterruptGuard::signal() != 0) throw Interrupted();
  }

  void show(std::uint64_t done, std::uint64_t total) {
    go_on();
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    draw(fmt::format("{} {} of {} rows", progress_bar(done, total, 24), done, total));
  }

 private:
  void draw(const std::string& line) const {
    if (shows_) complain("\r\x1b[K" + line);
  }

  bool shows_;
  std::chrono::steady_clock::time_point last_;
};

void check(const ExportArguments& arguments) {
  if (arguments.table && arguments.format != "csv") {
    throw UsageError(fmt::format("--what needs --format csv; {} always holds everything", arguments.format));
  }
  if (arguments.all_ranks && arguments.format != "chrome")
    throw UsageError(
        "--all-ranks needs --format chrome; the other formats hold one rank, chosen with --rank");
  if (arguments.format != "memory_viz") return;
  if (arguments.compresses())
    throw UsageError(
        "memory_viz cannot read .gz: use a name that ends in .pickle for --out, and compress the file later");
  if (arguments.out == "-" && is_terminal(STDOUT_FILENO))
    throw UsageError(
        "a pickle is binary and is not written to a terminal: name a file with --out, or pipe the output");
}

exports::Table table_of(const std::string& name) {
  if (name == "timeline") return exports::Table::kTimeline;
  if (name == "blocks") return exports::Table::kBlocks;
  return exports::Table::kCategories;
}

void write(const analysis::Facts& facts, const ExportArguments& arguments, exports::Output& output,
           const exports::Progress& progress) {
  if (arguments.format == "memory_viz") {
    exports::write_memory_viz(facts, output, progress);
  } else if (arguments.format == "chrome") {
    exports::write_chrome(facts, output, progress);
  } else if (arguments.format == "csv") {
    exports::write_csv(facts, table_of(arguments.table.value_or("categories")), output, progress);
  } else if (arguments.format == "folded") {
    exports::write_folded(facts, output, progress);
  } else {
    exports::write_json(facts, output, progress);
  }
}

// Warnings for readers of the file for which most formats have no place.
void say_what_is_odd(const analysis::Facts& facts) {
  constexpr std::size_t kMostWarnings = 10;
  for (std::size_t index = 0; index < std::min(facts.warnings.size(), kMostWarnings); ++index)
    say(report::warning_text(facts.warnings[index]));
  if (facts.warnings.size() > kMostWarnings)
    say(fmt::format("and {} more warnings; `strata report` shows them all",
                    facts.warnings.size() - kMostWarnings));
  if (facts.dry) {
    say(fmt::format("a dry {} computed nothing: bytes come from the allocator, times are the host's only",
                    facts.dry->profile));
  }
}

void export_ranks(const std::filesystem::path& run, const ExportArguments& arguments, exports::Output& output,
                  const exports::Progress& progress) {
  const analysis::JobFacts job =
      analysis::read_job(run, [](const analysis::Facts&) { ExportProgress::go_on(); });
  for (const std::string& sentence : report::lost_sentences(job)) say(sentence);
  for (const std::string& sentence : report::clock_sentences(job)) say(sentence);
  if (!arguments.compresses()) return exports::write_chrome_ranks(job, output, progress);
  exports::Gzip gzip(output);
  exports::write_chrome_ranks(job, gzip, progress);
  gzip.finish();
}

int export_run(const ExportArguments& arguments) {
  check(arguments);
  const std::filesystem::path run = recorded_run(arguments.run);
  const InterruptGuard guard;
  try {
    OutputFile file(arguments.out);
    ExportProgress progress;
    const auto show = [&](std::uint64_t done, std::uint64_t total) { progress.show(done, total); };
    if (arguments.all_ranks) {
      export_ranks(run, arguments, file, show);
      file.commit();
      return kDone;
    }
    const analysis::Facts facts = analysis::analyse(run, arguments.rank, arguments.device);
    ExportProgress::go_on();
    if (arguments.compresses()) {
      exports::Gzip gzip(file);
      write(facts, arguments, gzip, show);
      gzip.finish();
    } else {
      write(facts, arguments, file, show);
    }
    file.commit();
    progress.clear();
    say_what_is_odd(facts);
  } catch (const Interrupted&) {
    say("interrupted; nothing was written");
    return kSignalBase + InterruptGuard::signal();
  }
  return kDone;
}

}  // namespace

void add_export_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* const command = app.add_subcommand("export", "Write a run in another tool's format");
  command->add_option("RUN", arguments->run, "Folder of a run, or a snapshot of torch.cuda.memory")
      ->required();
  command->add_option("--format", arguments->format, "Format, as listed below")
      ->required()
      ->check(CLI::IsMember({"memory_viz", "chrome", "csv", "folded", "json"}));
  command
      ->add_option("--out", arguments->out,
                   "File to write; - for standard output; a name ending in .gz is compressed")
      ->required();
  command->add_option("--what", arguments->table, "Table to write with csv [categories]")
      ->check(CLI::IsMember({"categories", "timeline", "blocks"}));
  command->add_option("--rank", arguments->rank, "Rank to export, if the run has several [the first]");
  command
      ->add_flag("--all-ranks", arguments->all_ranks,
                 "With chrome: all ranks in one trace on one clock, one process for each rank")
      ->excludes("--rank");
  command->add_option(
      "--device", arguments->device,
      "Device to export the memory of: cuda:1, cpu or pinned [the most used CUDA device, or the CPU]");
  command->footer(
      "  memory_viz  a snapshot for pytorch.org/memory_viz and torch/cuda/_memory_viz.py, coloured by "
      "category\n"
      "  chrome      a trace for ui.perfetto.dev: a counter for each category, steps, micro-batches, phases\n"
      "  csv         mean, min, median and max of each category; its timeline; or every block\n"
      "  folded      memory alive at the peak by stack, for flamegraph.pl, inferno and speedscope\n"
      "  json        everything, with names and units\n\n"
      "Examples:\n"
      "  strata export runs/quickstart/20261121T101500Z --format memory_viz --out snapshot.pickle\n"
      "  strata export runs/quickstart/20261121T101500Z --format chrome --out trace.json.gz\n"
      "  strata export runs/two_ranks/20261121T101500Z --format chrome --all-ranks --out ranks.json.gz\n"
      "  strata export runs/quickstart/20261121T101500Z --format csv --out -\n"
      "  strata export runs/quickstart/20261121T101500Z --format csv --what blocks --out blocks.csv\n"
      "  strata export runs/two_ranks/20261121T101500Z --format json --rank 1 --out - | jq .peak");
  command->callback([arguments, &exit_code] { exit_code = export_run(*arguments); });
}

}  // namespace strata::cli
