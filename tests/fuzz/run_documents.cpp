// SPDX-License-Identifier: Apache-2.0
// JSON that Strata writes and reads back: a run's manifest and summary, a grid's plan and its cells' states,
// the jobs submitted to Slurm, the settings of `strata exec`. Any other content is read as far as it is
// valid, or ignored. The first line of an input selects the kind.
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/analysis/reading/manifest_reader.hpp"
#include "host/analysis/recording/recording.hpp"
#include "host/drop_in/settings.hpp"
#include "host/grid/cell_state.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/grid/outcome.hpp"
#include "host/grid/plan/plan_text.hpp"
#include "host/grid/slurm/submission.hpp"
#include "host/grid/table/results.hpp"
#include "host/grid/table/table.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::fuzz {
namespace {

const test::TemporaryFolder& folder() {
  static const test::TemporaryFolder only;
  return only;
}

void read_manifest(const std::string& json) {
  const std::filesystem::path file = folder().write("manifest.json", json);
  analysis::Recording run;
  std::vector<std::string> warnings;
  analysis::read_manifest(file, run, warnings);
  analysis::manifest_allocator_settings(file);
  analysis::manifest_pid(file);
  grid::store_problem(folder().path());
}

void read_state(const std::string& json) {
  const auto state = grid::parse_state(json);
  if (!state) return;
  const std::string written = grid::state_text("cell", *state);
  const auto again = grid::parse_state(written);
  expect(again && grid::state_text("cell", *again) == written, "a cell's state is written as it was read",
         written);
}

void read_plan(const std::string& json) {
  const auto plan = grid::parse_plan(json);
  if (!plan) return;
  const std::string written = grid::plan_text(*plan);
  const auto again = grid::parse_plan(written);
  expect(again && grid::plan_text(*again) == written, "a plan is written as it was read", written);
  const std::vector<grid::CellState> states(plan->cells.size());
  const grid::GridFolder nowhere(folder().path() / "no grid");
  const grid::Table table = grid::results_table(nowhere, *plan, states, grid::usual_columns(*plan, states));
  grid::json_table(table);
}

// The state of a cell whose process ended successfully.
void read_summary(const std::string& json) {
  folder().write("run/summary.json", json);
  grid::Ending ending;
  ending.exit_code = 0;
  const std::filesystem::path run = folder().path() / "run";
  read_state(grid::state_text("cell", grid::state_after({}, ending, run, run / "output.txt")));
}

void read_jobs(const std::string& json) {
  folder().write("grid/slurm/1/cells.txt", "a\nb\nc\n");
  folder().write("grid/slurm/1/jobs.json", json);
  grid::submissions_of(folder().path() / "grid");
}

void read_settings(const std::string& json) {
  const std::filesystem::path file = folder().write("settings.json", json);
  try {
    drop_in::settings_text(drop_in::read_settings(file));
  } catch (const std::runtime_error& error) {
    expect(std::string_view(error.what()).find(file.string()) != std::string_view::npos,
           "a refusal names the file", error.what());
  }
}

void read(const Headed& input) {
  if (input.head == "manifest") read_manifest(input.rest);
  if (input.head == "state") read_state(input.rest);
  if (input.head == "plan") read_plan(input.rest);
  if (input.head == "summary") read_summary(input.rest);
  if (input.head == "jobs") read_jobs(input.rest);
  if (input.head == "settings") read_settings(input.rest);
}

}  // namespace
}  // namespace strata::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  strata::fuzz::read(strata::fuzz::headed(strata::fuzz::text_of(data, size)));
  return 0;
}
