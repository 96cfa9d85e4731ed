// SPDX-License-Identifier: Apache-2.0
#include "host/report/timeline.hpp"

#include <algorithm>
#include <iterator>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::report {
namespace {

using analysis::MemoryFacts;
using analysis::Point;

std::int64_t end_of(const MemoryFacts& facts) {
  std::int64_t end_ns = facts.begin_ns;
  const auto extend = [&](std::int64_t ns) {
    if (ns != INT64_MAX) end_ns = std::max(end_ns, ns);
  };
  for (const auto& point : facts.points) extend(point.ns);
  for (const auto& step : facts.steps) extend(std::max(step.begin_ns, step.end_ns));
  for (const auto& phase : facts.phases) extend(std::max(phase.begin_ns, phase.end_ns));
  return end_ns + 1;
}

std::vector<Point> every_state(std::span<const Point> points, const Point& entered, std::int64_t begin_ns) {
  std::vector<Point> states{entered};
  states.reserve(points.size() + 1);
  states.front().ns = begin_ns;
  for (const auto& point : points) {
    states.push_back(point);
    states.back().ns = std::max(point.ns, states[states.size() - 2].ns);
  }
  return states;
}

// At most `limit` states: all of them where there are no more, else those of `limit` columns.
std::vector<Point> at_most(std::size_t limit, std::span<const Point> points, const Point& entered,
                           std::int64_t begin_ns, std::int64_t end_ns) {
  if (points.size() < limit) return every_state(points, entered, begin_ns);
  return largest_by_column(points, entered, {begin_ns, end_ns, limit});
}

struct Interval {
  std::int64_t begin_ns, end_ns;
};

// The peak's step, clipped to the run; empty, at the run's end, if the peak is outside of every step.
Interval peak_interval(const MemoryFacts& facts, const Timeline& run) {
  const auto step = std::ranges::find(facts.steps, facts.peak.step, &analysis::StepFact::index);
  if (step == facts.steps.end()) return {run.end_ns, run.end_ns};
  const auto begin_ns = std::clamp(step->begin_ns, run.begin_ns, run.end_ns);
  return {begin_ns, std::clamp(step->end_ns, begin_ns, run.end_ns)};
}

}  // namespace

std::vector<Point> largest_by_column(std::span<const Point> points, const Point& entered,
                                     const Columns& columns) {
  const std::int64_t span_ns = columns.end_ns - columns.begin_ns;
  const std::int64_t count = std::min(static_cast<std::int64_t>(columns.count), span_ns);
  // Without the product span_ns * column, which overflows in a run of days.
  const auto edge_ns = [&](std::int64_t column) {
    return columns.begin_ns + span_ns / count * column + span_ns % count * column / count;
  };

  std::vector<Point> shown;
  const Point* state = &entered;
  auto next = points.begin();
  for (std::int64_t column = 0; column < count; ++column) {
    const bool entered_state_holds = next == points.end() || next->ns > edge_ns(column);
    const Point* largest = entered_state_holds ? state : &*next;
    for (; next != points.end() && next->ns < edge_ns(column + 1); ++next) {
      state = &*next;
      if (analysis::sum(state->bytes) > analysis::sum(largest->bytes)) largest = state;
    }
    if (shown.empty() || shown.back().bytes != largest->bytes) {
      shown.push_back(*largest);
      shown.back().ns = edge_ns(column);
    }
  }
  return shown;
}

RunTime run_time(const MemoryFacts& facts) {
  const std::int64_t begin_ns =
      facts.points.empty() ? facts.begin_ns : std::min(facts.begin_ns, facts.points.front().ns);
  return {begin_ns, end_of(facts)};
}

Timeline timeline_of(const MemoryFacts& facts, const TimelineLimits& limits) {
  Timeline run;
  const RunTime time = run_time(facts);
  run.begin_ns = time.begin_ns;
  run.end_ns = time.end_ns;
  const std::span<const Point> points(facts.points);
  if (points.size() < limits.run_points + limits.peak_points) {
    run.points = every_state(points, Point{}, run.begin_ns);
    run.exact_begin_ns = run.begin_ns;
    run.exact_end_ns = run.end_ns;
    return run;
  }

  const auto peak = peak_interval(facts, run);
  const auto span_ns = run.end_ns - run.begin_ns;
  run.column_ns = std::max<std::int64_t>(span_ns / static_cast<std::int64_t>(limits.run_points), 1);
  const auto at_or_after = [&](std::int64_t ns) {
    return std::ranges::find_if(points, [&](const Point& point) { return point.ns >= ns; });
  };
  const auto peak_first = at_or_after(peak.begin_ns);
  const auto peak_last = at_or_after(peak.end_ns);

  // Appends the states in [begin_ns, end_ns), starting with the state after the previous points.
  const auto append = [&](auto first, auto last, std::int64_t begin_ns, std::int64_t end_ns,
                          std::size_t limit) {
    if (end_ns <= begin_ns) return;
    const Point entered = first == points.begin() ? Point{} : *std::prev(first);
    std::ranges::copy(at_most(limit, {first, last}, entered, begin_ns, end_ns),
                      std::back_inserter(run.points));
  };
  const auto columns_of = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    return static_cast<std::size_t>((end_ns - begin_ns) / run.column_ns + 1);
  };
  append(points.begin(), peak_first, run.begin_ns, peak.begin_ns, columns_of(run.begin_ns, peak.begin_ns));
  append(peak_first, peak_last, peak.begin_ns, peak.end_ns, limits.peak_points);
  append(peak_last, points.end(), peak.end_ns, run.end_ns, columns_of(peak.end_ns, run.end_ns));
  if (static_cast<std::size_t>(peak_last - peak_first) < limits.peak_points) {
    run.exact_begin_ns = peak.begin_ns;
    run.exact_end_ns = peak.end_ns;
  }
  return run;
}

}  // namespace strata::report
