// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/shown_interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/timeline.hpp"

namespace strata::report::plot {

ShownInterval shown_interval(const analysis::MemoryFacts& facts, const PlotOptions& options) {
  if (!options.step && !options.whole_run && facts.window_end_ns > facts.window_begin_ns)
    return {facts.window_begin_ns, facts.window_end_ns};
  if (!options.step) {
    const Timeline timeline = timeline_of(facts, {.run_points = 2, .peak_points = 2});
    return {timeline.begin_ns, timeline.end_ns};
  }
  const auto found = std::ranges::find(facts.steps, *options.step, &analysis::StepFact::index);
  if (found == facts.steps.end())
    throw std::out_of_range(fmt::format("the run recorded no step {}", *options.step));
  return {found->begin_ns, std::max(found->begin_ns + 1, std::min(found->end_ns, facts.end_ns))};
}

}  // namespace strata::report::plot
