// SPDX-License-Identifier: Apache-2.0
#include "host/report/lanes/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/analysis/facts/facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/shell_word.hpp"
#include "host/report/text.hpp"
#include "host/report/timeline.hpp"
#include "host/report/words/capture_warnings.hpp"

namespace strata::report {
namespace {

using analysis::Facts;

// Why the plugin or the source of that name did not do its work; empty: nothing is known.
std::string failure_of(const Facts& facts, std::string_view id) {
  const auto found = std::ranges::find(facts.plugins, id, &analysis::PluginFact::id);
  if (found == facts.plugins.end() || found->is_ok()) return {};
  return found->reason.empty() ? found->status : found->reason;
}

std::string without_times(const Facts& facts) {
  const std::string failure = failure_of(facts, "cupti_timeline");
  if (!failure.empty())
    return fmt::format("No operators and no kernels: cupti_timeline recorded nothing: {}.", failure);
  return "No operators and no kernels: the run did not have the plugin cupti_timeline, which records them in "
         "the steps of the window.";
}

std::string without_kernels(const Facts& facts) {
  const auto& captures = facts.time->captures;
  const auto refused =
      std::ranges::find_if(captures, [](const auto& capture) { return !capture.reason.empty(); });
  if (refused != captures.end()) return fmt::format("No kernels: {}.", refused->reason);
  if (const std::string failure = failure_of(facts, "cupti"); !failure.empty())
    return fmt::format("No kernels: {}.", failure);
  if (facts.time->host_computes) return "No kernels: the run computed on the CPU.";
  if (!captures.empty()) return "No kernels: CUPTI told of none in the steps of the window.";
  return "No kernels: the run did not have the source cupti, which records what devices do.";
}

std::string left_out_note(const Facts& facts, const Lanes& lanes) {
  const RunTime time = run_time(facts);
  const auto since = [&](std::int64_t ns) {
    return duration(static_cast<double>(std::clamp(ns, time.begin_ns, time.end_ns) - time.begin_ns));
  };
  const std::string kept = thousands(lanes.recorded - lanes.left_out);
  if (lanes.least_ns == 0)
    return fmt::format(
        "Of {} intervals {} are here, without those that lie too deep or on other threads and streams.",
        thousands(lanes.recorded), kept);
  return fmt::format(
      "Of {} intervals {} are here: all from {} to {}, around the peak, and elsewhere those of at least {}. "
      "The "
      "trace has the others.",
      thousands(lanes.recorded), kept, since(lanes.whole_begin_ns), since(lanes.whole_end_ns),
      duration(static_cast<double>(lanes.least_ns)));
}

}  // namespace

std::vector<std::string> lane_notes(const Facts& facts, const Lanes& lanes) {
  std::vector<std::string> notes;
  if (!facts.time) {
    notes.push_back(without_times(facts));
  } else {
    if (facts.time->spans.empty())
      notes.emplace_back(
          "No operators: the window was not reached, or the source torch was not asked for them "
          "(trace.ops).");
    if (std::ranges::none_of(lanes.lanes, [](const Lane& lane) { return lane.kind == LaneKind::kStream; }))
      notes.push_back(without_kernels(facts));
    for (const std::string& warning : incomplete_captures(facts.time->captures))
      notes.push_back(warning + ".");
    if (facts.time->modelled)
      notes.emplace_back("What devices did is told by a model of the card: nothing of it was measured.");
  }
  if (lanes.left_out > 0) notes.push_back(left_out_note(facts, lanes));
  return notes;
}

std::string trace_command(const Facts& facts) {
  return fmt::format("strata export {} --format chrome --out trace.json.gz", shell_word(facts.directory));
}

}  // namespace strata::report
