// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "host/analysis/warm_up/change_points.hpp"
#include "host/analysis/warm_up/quantile.hpp"

namespace strata::analysis {
namespace {

constexpr double kAsFast = 0.02;  // two levels that differ by less are one
constexpr double kPenalty = 5.0;  // times ln(n); 15, as is used for 2,000 iterations, sees nothing in 200
constexpr double kFarOut = 3.0;   // times the distance of the 10th and the 90th percentile
constexpr std::size_t kOutlierWindow = 50;
constexpr std::size_t kNeverOutliers = 3;  // the first steps: it is they that are asked about
constexpr std::size_t kLongestOutlier = 2;
constexpr std::size_t kShortestTail = 10;
constexpr double kShortestTailShare = 0.25;
// In a longer run all of the first steps are examined, and this many others at even intervals, because the
// search takes quadratic time.
constexpr std::size_t kFirstSteps = 2000, kOtherSteps = 2000;
constexpr int kResamples = 1000;
constexpr std::size_t kResampledSteps = 1000;

std::vector<TimedStep> thinned(std::span<const TimedStep> steps) {
  if (steps.size() <= kFirstSteps + kOtherSteps) return {steps.begin(), steps.end()};
  std::vector<TimedStep> kept(steps.begin(), steps.begin() + kFirstSteps);
  const std::size_t apart = (steps.size() - kFirstSteps + kOtherSteps - 1) / kOtherSteps;
  for (std::size_t index = kFirstSteps; index < steps.size(); index += apart) kept.push_back(steps[index]);
  return kept;
}

std::vector<double> times_of(std::span<const TimedStep> steps) {
  std::vector<double> times;
  times.reserve(steps.size());
  for (const TimedStep& step : steps) times.push_back(step.ns);
  return times;
}

struct Spread {
  double median = 0.0, low = 0.0, high = 0.0;  // the 10th and the 90th percentile
  double width() const { return high - low; }
};

Spread spread_of(std::vector<double> times) {
  std::ranges::sort(times);
  return {sorted_quantile(times, 0.5), sorted_quantile(times, 0.1), sorted_quantile(times, 0.9)};
}

// Moves isolated outliers, single or in pairs, to the edge of the usual range around them: a pause of the
// machine is not a change of level.
std::vector<double> without_outliers(const std::vector<double>& times) {
  const std::size_t count = times.size();
  const std::size_t window = std::min(kOutlierWindow, count);
  std::vector<double> result = times;
  std::vector<std::optional<double>> moved(count);
  for (std::size_t index = kNeverOutliers; index < count; ++index) {
    const std::size_t begin = std::min(index - std::min(index, window / 2), count - window);
    const auto from = times.begin() + static_cast<std::ptrdiff_t>(begin);
    const Spread usual = spread_of({from, from + static_cast<std::ptrdiff_t>(window)});
    const double far = kFarOut * std::max(usual.width(), kAsFast / kFarOut * usual.median);
    if (std::abs(times[index] - usual.median) > far)
      moved[index] = times[index] > usual.median ? usual.high : usual.low;
  }
  for (std::size_t index = kNeverOutliers; index < count;) {
    std::size_t end = index;
    while (end < count && moved[end]) ++end;
    for (std::size_t at = index; end - index <= kLongestOutlier && at < end; ++at) result[at] = *moved[at];
    index = std::max(end, index + 1);
  }
  return result;
}

double median_of(const std::vector<double>& times, std::size_t begin, std::size_t end) {
  return spread_of({times.begin() + static_cast<std::ptrdiff_t>(begin),
                    times.begin() + static_cast<std::ptrdiff_t>(end)})
      .median;
}

double median_deviation(const std::vector<double>& times, std::size_t begin, std::size_t end) {
  const double median = median_of(times, begin, end);
  std::vector<double> deviations;
  for (std::size_t index = begin; index < end; ++index) deviations.push_back(std::abs(times[index] - median));
  return 1.4826 * spread_of(std::move(deviations)).median;
}

std::vector<std::size_t> segments_of(const std::vector<double>& times) {
  const double median = median_of(times, 0, times.size());
  const double least = std::max(1e-3 * median, 1.0);
  return find_segments(times, {.penalty = kPenalty * std::log(static_cast<double>(times.size())),
                               .least_variance = least * least});
}

// Seeded, so that a run's report is reproducible.
void find_interval(SteadyState& state, const std::vector<double>& steady) {
  std::vector<double> times;
  const std::size_t apart = (steady.size() + kResampledSteps - 1) / kResampledSteps;
  for (std::size_t index = 0; index < steady.size(); index += apart) times.push_back(steady[index]);
  std::mt19937_64 random(1);
  std::vector<double> medians, drawn(times.size());
  for (int resample = 0; resample < kResamples; ++resample) {
    for (double& time : drawn) time = times[random() % times.size()];
    const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>(drawn.size() / 2);
    std::ranges::nth_element(drawn, middle);
    medians.push_back(*middle);
  }
  std::ranges::sort(medians);
  state.median_low_ns = sorted_quantile(medians, 0.025);
  state.median_high_ns = sorted_quantile(medians, 0.975);
}

double mean_of(std::span<const TimedStep> steps) {
  double sum = 0.0;
  for (const TimedStep& step : steps) sum += step.ns;
  return steps.empty() ? 0.0 : sum / static_cast<double>(steps.size());
}

void compare_the_first(SteadyState& state, std::span<const TimedStep> steps) {
  if (state.median_ns && *state.median_ns > 0.0)
    state.first_over_median = steps.front().ns / *state.median_ns;
}

// The first index of `begins` from which all segments are as fast as the last one.
std::size_t first_as_fast(const std::vector<double>& times, const std::vector<std::size_t>& begins) {
  const auto end_of = [&](std::size_t segment) {
    return segment + 1 < begins.size() ? begins[segment + 1] : times.size();
  };
  double fastest = median_of(times, begins.back(), times.size());
  const double last = fastest;
  for (std::size_t segment = 0; segment < begins.size(); ++segment)
    fastest = std::min(fastest, median_of(times, begins[segment], end_of(segment)));
  const double tolerance = std::max(kAsFast * fastest, median_deviation(times, begins.back(), times.size()));
  std::size_t first = begins.size() - 1;
  while (first > 0 && std::abs(median_of(times, begins[first - 1], end_of(first - 1)) - last) <= tolerance)
    --first;
  return first;
}

struct Tail {
  std::size_t begin = 0;
  bool was_faster = false;  // before it
};

// The steady steps of `times`; nothing where they are too few.
std::optional<Tail> steady_tail(const std::vector<double>& times, const std::vector<double>& calm,
                                const std::vector<std::size_t>& begins) {
  const std::size_t first = first_as_fast(calm, begins);
  Tail tail{.begin = begins[first]};
  const auto count = static_cast<double>(times.size());
  const auto shortest =
      std::max<std::size_t>(kShortestTail, static_cast<std::size_t>(std::ceil(kShortestTailShare * count)));
  if (times.size() - tail.begin < shortest) return std::nullopt;
  const Spread steady = spread_of({times.begin() + static_cast<std::ptrdiff_t>(tail.begin), times.end()});
  const double slow = steady.median + std::max(kFarOut * steady.width(), kAsFast * steady.median);
  while (times.size() - tail.begin > shortest && times[tail.begin] > slow) ++tail.begin;
  for (std::size_t segment = 0; segment < first; ++segment) {
    const double median = median_of(calm, begins[segment], begins[segment + 1]);
    tail.was_faster = tail.was_faster || median < steady.median * (1.0 - kAsFast);
  }
  return tail;
}

}  // namespace

std::string_view to_string(Course course) {
  switch (course) {
    case Course::kNotYet:
      return "not_yet";
    case Course::kFlat:
      return "flat";
    case Course::kWarmUp:
      return "warm_up";
    case Course::kSlowDown:
      return "slow_down";
    case Course::kNone:
      break;
  }
  return "none";
}

SteadyState find_steady_state(std::span<const TimedStep> steps) {
  SteadyState state;
  state.steps = steps.size();
  state.mean_all_ns = mean_of(steps);
  if (steps.size() < 2) return state;
  const std::vector<double> rest = times_of(steps.subspan(1));
  state.median_ns = median_of(rest, 0, rest.size());
  compare_the_first(state, steps);
  if (steps.size() < kFewestSteps) return state;

  const std::vector<TimedStep> looked_at = thinned(steps);
  const std::vector<double> times = times_of(looked_at);
  const std::vector<double> calm = without_outliers(times);
  const std::vector<std::size_t> begins = segments_of(calm);
  for (std::size_t segment = 0; segment < begins.size(); ++segment) {
    const std::size_t end = segment + 1 < begins.size() ? begins[segment + 1] : times.size();
    state.segments.push_back(
        {looked_at[begins[segment]].step, looked_at[end - 1].step, median_of(times, begins[segment], end)});
  }
  const std::optional<Tail> tail = steady_tail(times, calm, begins);
  if (!tail) {
    state.course = Course::kNone;
    return state;
  }
  state.first_step = looked_at[tail->begin].step;
  const auto first =
      std::ranges::find_if(steps, [&](const TimedStep& step) { return step.step >= *state.first_step; });
  const std::span<const TimedStep> before(steps.begin(), first), steady(first, steps.end());
  const std::vector<double> steady_times = times_of(steady);
  const Spread spread = spread_of(steady_times);
  state.median_ns = spread.median;
  // However far steps vary, one of twice the median is unusual.
  state.unusual_ns =
      spread.median + std::clamp(kFarOut * spread.width(), kAsFast * spread.median, spread.median);
  state.longest = *std::ranges::max_element(steady, {}, &TimedStep::ns);
  state.over_twice = static_cast<std::uint64_t>(
      std::ranges::count_if(steady_times, [&](double ns) { return ns > 2.0 * spread.median; }));
  state.mean_steady_ns = mean_of(steady);
  state.warm_up_steps = before.size();
  for (const TimedStep& step : before) state.excess_ns += step.ns - spread.median;
  state.course = before.empty() ? Course::kFlat : tail->was_faster ? Course::kSlowDown : Course::kWarmUp;
  compare_the_first(state, steps);
  find_interval(state, steady_times);
  return state;
}

}  // namespace strata::analysis
