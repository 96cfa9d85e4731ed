// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/read_run.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "host/analysis/allocator/allocator_calls.hpp"
#include "host/analysis/analyse.hpp"
#include "host/analysis/diff/run_diff.hpp"
#include "host/analysis/json/scopes_json.hpp"
#include "host/analysis/json/summary_parts.hpp"
#include "host/analysis/live/live_json.hpp"
#include "host/analysis/live/live_store.hpp"
#include "host/analysis/ranks/job_facts.hpp"
#include "host/analysis/ranks/job_json.hpp"
#include "host/analysis/reading/run_reader.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/analysis/shapes/find_shapes.hpp"
#include "host/analysis/summary.hpp"
#include "host/export/csv.hpp"
#include "host/export/folded.hpp"
#include "host/export/json.hpp"
#include "host/export/snapshot/memory_viz.hpp"
#include "host/export/trace/chrome.hpp"
#include "host/report/epoch_peaks.hpp"
#include "host/report/page_data/page.hpp"
#include "host/report/ranks/rank_report.hpp"
#include "host/report/ranks/ranks_page.hpp"
#include "host/report/terminal/budget.hpp"
#include "host/report/terminal/layer_table.hpp"
#include "host/report/terminal/stack_lines.hpp"
#include "host/report/terminal/tables.hpp"
#include "host/report/terminal/terminal.hpp"
#include "host/report/time/time_report.hpp"
#include "host/report/top/top_screen.hpp"
#include "host/report/words/sentences.hpp"
#include "host/report/words/shapes_json.hpp"
#include "host/report/words/warm_up_json.hpp"
#include "host/report/words/warnings.hpp"
#include "tests/fuzz/target.hpp"

namespace strata::fuzz {
namespace {

constexpr int kWidth = 100;

void require_json(std::string_view what, const std::string& text) {
  expect(nlohmann::json::accept(text), std::string(what) + " is JSON", text);
}

void require_lines(std::string_view what, const std::string& text) {
  const auto is_control = [](char letter) {
    return (static_cast<unsigned char>(letter) < 0x20 && letter != '\n') || letter == 0x7f;
  };
  expect(std::ranges::none_of(text, is_control), std::string(what) + " has no control characters", text);
}

class Text : public exports::Output {
 public:
  void write(std::string_view bytes) override { text_.append(bytes); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <typename Write>
std::string exported(const Write& write) {
  Text output;
  try {
    write(output);
  } catch (const std::runtime_error&) {
    return {};  // the run has no such data
  }
  return output.text();
}

void read_tables(const analysis::Facts& facts) {
  const std::vector<analysis::Scope> scopes = scopes_of(facts);
  const std::vector<analysis::Shape> shapes = find_shapes(facts);
  require_lines("the report", report::terminal_report(facts, false, kWidth));
  require_lines("the table of scopes", report::scope_report(facts, scopes, false, kWidth));
  require_lines("the table of layers", report::layer_table(facts, {}, false, kWidth));
  require_lines("the table of steps", report::step_table(facts, false, kWidth));
  require_lines("the table of shapes", report::shape_table(facts, shapes, false, kWidth));
  require_lines("the table of the largest", report::detail_table(facts, {}, false, kWidth));
  require_lines("the warm-up", report::warm_up_report(facts, false, kWidth));
  require_lines("the times", report::time_report(facts, {}, false, kWidth));
  require_lines("the stacks", report::stacks_at_peak(facts, 3, false, kWidth));
  require_json("the scopes", scopes_json(facts, scopes));
  require_json("the shapes", report::shapes_document(facts, shapes));
  require_json("the layers", layers_document(facts, facts.layers, {}));
  require_json("the steps", analysis::steps_document(facts));
  require_json("the warm-up", report::warm_up_document(facts));
  require_json("the largest", analysis::detail_document(facts, 0.1));
  require_json("the summary",
               analysis::summary_json(facts, report::finding_text, report::warning_texts(facts.warnings)));
  if (facts.time) require_json("the times", analysis::time_document(facts, {}, 5));
  const analysis::BudgetCheck budget = check_budget(facts, 4096);
  require_json("the budget", budget_document(facts, budget, report::finding_text));
  require_lines("the budget", report::budget_report(facts, budget));
  report::epoch_peaks(scopes);
  const analysis::RunDiff diff = analysis::diff_runs(facts, facts, {}, {});
  require_json("a comparison", analysis::diff_document(diff, report::warnings_of));
  require_lines("a comparison", report::diff_table(diff, 10, false, kWidth));
  require_json("comparisons", analysis::diffs_document({diff, diff}, report::warnings_of));
  require_lines("comparisons", report::runs_table({diff, diff, diff}, false, kWidth));
}

void read_exports(const analysis::Facts& facts) {
  const auto json = [&](auto write) {
    return exported([&](exports::Output& output) { write(facts, output, exports::Progress()); });
  };
  require_json("the run", json(exports::write_json));
  require_json("the trace", json(exports::write_chrome));
  json(exports::write_memory_viz);
  json(exports::write_folded);
  for (const auto table : {exports::Table::kCategories, exports::Table::kTimeline, exports::Table::kBlocks})
    exported([&](exports::Output& output) { exports::write_csv(facts, table, output); });
}

void read_live(const std::filesystem::path& run) {
  std::vector<analysis::LiveRank> ranks;
  analysis::LiveStore store(run, 0, 7);
  store.refresh(run / "rank0/7.sqlite", analysis::LiveWriter::kNone, std::chrono::seconds(5));
  ranks.push_back(store.view(0));
  require_json("what is seen live", analysis::live_document(run.string(), ranks));
  require_lines("what is seen live", report::top_screen({run.string(), ranks}, false, kWidth));
}

}  // namespace

void read_run(const std::filesystem::path& run, const std::string& device) {
  try {
    analysis::Recording recording = analysis::read_run(run, {}, analysis::ReadingDetail::kReport, device);
    if (analysis::has_caching_allocator(recording)) analysis::allocator_calls(recording);
    const analysis::Facts facts = analysis::analyse(std::move(recording));
    read_tables(facts);
    read_exports(facts);
    expect(report::page(facts).find("<script>alert") == std::string::npos,
           "a page shows markup in names as text");
  } catch (const analysis::RunError& error) {
    expect(std::string_view(error.what()).find(run.string()) != std::string_view::npos,
           "a refusal names the run", error.what());
  }
  read_live(run);
  if (!analysis::has_several_ranks(run)) return;
  try {
    const analysis::JobFacts job = analysis::read_job(run);
    require_json("the ranks", analysis::ranks_document(job));
    require_lines("the ranks", report::rank_report(job, false, kWidth));
    report::ranks_page(job);
  } catch (const analysis::RunError&) {
    // A reported error.
  }
}

}  // namespace strata::fuzz
