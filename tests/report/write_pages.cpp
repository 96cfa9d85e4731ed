// SPDX-License-Identifier: Apache-2.0
// write_pages FOLDER: the pages for tests/browser, as FOLDER/<name>.html.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "host/analysis/steps/pace.hpp"
#include "host/report/page_data/page.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_times.hpp"
#include "tests/report/simulated_training.hpp"

namespace {

void write_page(const strata::analysis::Facts& facts, const std::filesystem::path& html) {
  std::ofstream file(html, std::ios::binary);
  file << strata::report::page(facts);
  file.close();
  if (!file) throw std::runtime_error(html.string() + " cannot be written");
}

// Memory runs out at the begin of the last step's last phase.
strata::analysis::Facts ran_out() {
  auto facts = strata::report::testing::simulate({.steps = 4, .first_active_step = 1, .layers = 4});
  const auto& phase = facts.phases.back();
  strata::analysis::OutOfMemory failure;
  failure.requested_bytes = 1U << 30U;
  failure.held = facts.peak;
  failure.held.sequence = phase.begin_sequence;
  failure.held.ns = phase.begin_ns;
  failure.held.step = facts.steps.back().index;
  failure.held.reserved_bytes += 100U << 20U;
  failure.device_free_bytes = 30U << 20U;
  using strata::analysis::FindingKind;
  failure.findings = {
      {.kind = FindingKind::kKeptFromEarlier,
       .bytes = std::uint64_t{2} << 30U,
       .detail = strata::analysis::KeptFinding{.forwards = 3}},
      {.kind = FindingKind::kFragmentation,
       .bytes = 600U << 20U,
       .detail = strata::analysis::PiecesFinding{.largest_bytes = 50U << 20U, .requested_bytes = 1U << 30U}}};
  facts.peak = failure.held;
  facts.samples.device.push_back({.total_bytes = facts.peak.reserved_bytes + (430U << 20U)});
  facts.out_of_memory.push_back(failure);
  return facts;
}

void write_pages(const std::filesystem::path& folder) {
  using strata::report::testing::hostile_facts;
  using strata::report::testing::hostile_names;
  using strata::report::testing::simulate;
  std::filesystem::create_directories(folder);
  write_page(simulate({}), folder / "training.html");
  write_page({}, folder / "empty.html");
  auto timed = simulate({});
  strata::report::testing::add_times(timed, {.operators = 12'000});
  write_page(timed, folder / "timed.html");
  auto on_cpu = simulate({});
  strata::report::testing::add_times(on_cpu, {.operators = 3000, .device = false});
  write_page(on_cpu, folder / "timed_cpu.html");
  auto hostile_kernel = simulate({.steps = 3, .first_active_step = 1, .layers = 2});
  strata::report::testing::add_times(hostile_kernel,
                                     {.operators = 900,
                                      .kernel_name = "</script><img src=x onerror='window.hostile = 9'>" +
                                                     std::string(10'000, 'k') + "<script>"});
  write_page(hostile_kernel, folder / "hostile_kernel.html");
  write_page(hostile_facts(), folder / "hostile.html");
  auto named = simulate({.steps = 4, .first_active_step = 1, .layers = 4});
  for (auto& text : named.texts) {
    if (text == "lm_head") text = hostile_names()[1];
  }
  write_page(named, folder / "hostile_shapes.html");
  // About a million events: more than the page holds individually.
  write_page(simulate({.steps = 1080, .first_active_step = 10}), folder / "long.html");
  // More steps and phases than the page holds.
  write_page(simulate({.steps = 3500, .first_active_step = 1750, .layers = 0}), folder / "many_steps.html");
  // A device slightly larger than the peak, and one far larger.
  for (const auto& [name, part] : {std::pair{"capacity", 1.04}, std::pair{"roomy", 20.0}}) {
    auto facts = simulate({});
    facts.samples.device.push_back(
        {.total_bytes = static_cast<std::uint64_t>(static_cast<double>(facts.peak.allocated_bytes) * part)});
    write_page(facts, folder / (std::string(name) + ".html"));
  }
  auto dry = simulate({.steps = 4, .first_active_step = 1, .layers = 4});
  dry.dry.emplace();
  write_page(dry, folder / "dry.html");
  dry.dry->modelled_clock.emplace();
  write_page(dry, folder / "dry_modelled.html");
  write_page(ran_out(), folder / "ran_out.html");
  auto images = simulate({.steps = 3, .first_active_step = 1, .layers = 1});
  images.unit = "images";
  write_page(images, folder / "images.html");
  auto streams = simulate({.steps = 3, .first_active_step = 1, .layers = 1});
  streams.device = "cuda:0";
  streams.places = {{{0, 0}, 90U << 20U, 7, 100U << 20U},
                    {{0x55766eae5f10, std::uint64_t{1} << 32}, 5U << 20U, 1, 65U << 20U},
                    {{0x55766eae5f10, 0}, 1U << 20U, 1, 2U << 20U}};
  write_page(streams, folder / "streams.html");
  streams.places.back().reserved_bytes.reset();
  write_page(streams, folder / "streams_unknown.html");
  auto troubled = simulate({.steps = 4, .first_active_step = 1, .layers = 4});
  troubled.end = strata::analysis::RunEnd::kKilled;
  troubled.steps.back().complete = false;
  troubled.pace = strata::analysis::window_pace(troubled.steps, troubled.first_step, troubled.last_step);
  troubled.plugins.push_back({"nvtx_markers", "disabled", "libnvToolsExt was not found"});
  troubled.warnings.emplace_back("rank 0: the process died; 3 spools were drained when the run was opened");
  troubled.dropped_rows = 1234;
  troubled.faults.push_back({"unpaired_phase_end", 3});
  troubled.warm_up.is_recorded = true;
  strata::analysis::SlowStep slow;
  slow.ns = 9e6;
  slow.excess_ns = 5e6;
  slow.unattributed_ns = 1e6;
  strata::analysis::Proof calls{
      .kind = strata::analysis::ProofKind::kSlowCalls, .name = "forward", .count = 12};
  calls.calls.push_back({.name = "aten::exp", .ns = 2e6});
  slow.causes.push_back({strata::analysis::Cause::kFirstCalls, 4e6, 12, {calls}});
  troubled.warm_up.steps.push_back(slow);
  write_page(troubled, folder / "troubled.html");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_pages FOLDER\n", stderr);
    return 2;
  }
  try {
    write_pages(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_pages: %s\n", error.what());
    return 1;
  }
  return 0;
}
