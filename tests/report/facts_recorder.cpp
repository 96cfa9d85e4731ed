// SPDX-License-Identifier: Apache-2.0
#include "tests/report/facts_recorder.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "host/analysis/layers/layer_tree.hpp"
#include "host/analysis/peak/peak.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "host/analysis/steps/pace.hpp"
#include "host/analysis/steps/step_peaks.hpp"

namespace strata::report::testing {
namespace {

using analysis::CategoryBytes;
using analysis::CategoryStatistics;
using analysis::PeakShare;
using analysis::Point;

constexpr std::int64_t kBeginNs = 7'000'000'000'000;
constexpr std::size_t kLargestBlocks = 40;

std::uint64_t sum(const CategoryBytes& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

template <typename Amount>
CategoryStatistics statistics(const std::vector<const Point*>& points, std::int64_t end_ns, Amount amount) {
  std::vector<std::uint64_t> amounts;
  double weighted = 0.0, events = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    amounts.push_back(amount(*points[i]));
    const auto until_ns = i + 1 < points.size() ? points[i + 1]->ns : end_ns;
    events += static_cast<double>(amounts.back());
    weighted += static_cast<double>(amounts.back()) * static_cast<double>(until_ns - points[i]->ns);
  }
  std::ranges::sort(amounts);
  return {amounts.front(), amounts[amounts.size() / 2], amounts.back(),
          events / static_cast<double>(amounts.size()),
          weighted / static_cast<double>(std::max<std::int64_t>(end_ns - points.front()->ns, 1))};
}

template <typename Label>
std::vector<PeakShare> shares(const std::vector<const analysis::Block*>& alive, Label label) {
  std::map<std::string, PeakShare> by_label;
  for (const auto* block : alive) {
    auto& share = by_label[label(*block)];
    share.label = label(*block);
    share.bytes += block->bytes;
    share.blocks += 1;
  }
  std::vector<PeakShare> list;
  for (const auto& [unused, share] : by_label) list.push_back(share);
  std::ranges::stable_sort(list, std::greater{}, &PeakShare::bytes);
  return list;
}

}  // namespace

FactsRecorder::FactsRecorder(std::string name) : now_ns_(kBeginNs) {
  facts_.name = std::move(name);
  facts_.begin_ns = kBeginNs;
  facts_.end = analysis::RunEnd::kDone;
  facts_.texts.emplace_back();
}

std::uint32_t FactsRecorder::text(const std::string& text) {
  if (text.empty()) return 0;
  const auto [found, is_new] = texts_.try_emplace(text, static_cast<std::uint32_t>(facts_.texts.size()));
  if (is_new) facts_.texts.push_back(text);
  return found->second;
}

void FactsRecorder::add_point() {
  facts_.points.push_back({++sequence_, now_ns_, bytes_});
}

std::uint32_t FactsRecorder::allocate(std::uint64_t bytes, const Origin& origin) {
  bytes_.at(static_cast<std::size_t>(origin.category)) += bytes;
  add_point();
  analysis::Block block;
  block.bytes = bytes;
  block.birth_sequence = sequence_;
  block.birth_ns = now_ns_;
  block.category = origin.category;
  block.kind = origin.kind;
  block.name = text(origin.name);
  block.op = text(origin.op);
  block.layer = text(origin.layer);
  block.form = forms_.add({text(origin.dtype), text(origin.shape)});
  block.phase = open_phases_.empty() ? 0 : open_phases_.back() + 1;
  facts_.blocks.push_back(block);
  return static_cast<std::uint32_t>(facts_.blocks.size() - 1);
}

void FactsRecorder::release(std::uint32_t block) {
  auto& freed = facts_.blocks.at(block);
  bytes_.at(static_cast<std::size_t>(freed.category)) -= freed.bytes;
  add_point();
  freed.death_sequence = sequence_;
  freed.death_ns = now_ns_;
}

void FactsRecorder::begin_step(std::int64_t index, std::uint32_t schedule) {
  analysis::StepFact step;
  step.index = index;
  step.schedule = schedule;
  step.begin_sequence = ++sequence_;
  step.begin_ns = now_ns_;
  facts_.steps.push_back(step);
}

void FactsRecorder::end_step(double loss, std::uint64_t tokens) {
  auto& step = facts_.steps.back();
  step.end_sequence = ++sequence_;
  step.end_ns = now_ns_;
  step.loss = loss;
  step.tokens = tokens;
  step.complete = true;
  for (auto point = facts_.points.rbegin(); point != facts_.points.rend() && point->ns >= step.begin_ns;
       ++point) {
    step.peak_allocated_bytes = std::max(step.peak_allocated_bytes, sum(point->bytes));
  }
  step.peak_reserved_bytes = step.peak_allocated_bytes;
}

void FactsRecorder::begin_phase(std::uint32_t kind, const std::string& name) {
  analysis::PhaseFact phase;
  phase.kind = kind;
  phase.name = name;
  phase.step =
      facts_.steps.empty() || facts_.steps.back().end_ns != INT64_MAX ? -1 : facts_.steps.back().index;
  phase.depth = static_cast<std::uint32_t>(open_phases_.size());
  phase.begin_sequence = ++sequence_;
  phase.begin_ns = now_ns_;
  open_phases_.push_back(static_cast<std::uint32_t>(facts_.phases.size()));
  facts_.phases.push_back(phase);
}

void FactsRecorder::end_phase() {
  auto& phase = facts_.phases.at(open_phases_.back());
  phase.end_sequence = ++sequence_;
  phase.end_ns = now_ns_;
  open_phases_.pop_back();
}

void FactsRecorder::add_statistics(std::int64_t begin_ns, std::int64_t end_ns) {
  std::vector<const Point*> points;
  for (const auto& point : facts_.points) {
    if (point.ns >= begin_ns && point.ns < end_ns) points.push_back(&point);
  }
  if (points.empty()) return;
  for (std::size_t i = 0; i < analysis::kCategories; ++i) {
    facts_.statistics.at(i) =
        statistics(points, end_ns, [&](const Point& point) { return point.bytes.at(i); });
  }
  facts_.total = statistics(points, end_ns, [](const Point& point) { return sum(point.bytes); });
}

void FactsRecorder::add_peak(std::int64_t begin_ns, std::int64_t end_ns) {
  auto& peak = facts_.peak;
  for (const auto& point : facts_.points) {
    if (point.ns < begin_ns || point.ns >= end_ns || sum(point.bytes) <= peak.allocated_bytes) continue;
    peak.allocated_bytes = peak.reserved_bytes = sum(point.bytes);
    peak.sequence = point.sequence;
    peak.ns = point.ns;
    peak.categories = point.bytes;
  }
  for (const auto& step : facts_.steps) {
    if (step.begin_sequence < peak.sequence && peak.sequence < step.end_sequence) peak.step = step.index;
  }
  for (const auto& phase : facts_.phases) {
    if (phase.begin_sequence < peak.sequence && peak.sequence < phase.end_sequence) peak.phase = phase.name;
  }
  std::vector<const analysis::Block*> alive;
  for (const auto& block : facts_.blocks) {
    if (block.birth_sequence > peak.sequence || block.death_sequence <= peak.sequence) continue;
    alive.push_back(&block);
    peak.largest_blocks.push_back(static_cast<std::uint32_t>(&block - facts_.blocks.data()));
  }
  peak.by_kind = shares(alive, [](const auto& block) {
    return std::string(to_string(block.category)) + "/" + std::string(to_string(block.kind));
  });
  peak.by_layer = shares(alive, [&](const auto& block) { return facts_.texts.at(block.layer); });
  peak.by_op = shares(alive, [&](const auto& block) { return facts_.texts.at(block.op); });
  std::ranges::stable_sort(peak.largest_blocks, std::greater{},
                           [&](std::uint32_t index) { return facts_.blocks.at(index).bytes; });
  if (peak.largest_blocks.size() > kLargestBlocks) peak.largest_blocks.resize(kLargestBlocks);
}

// As analysis computes them; their text is tested there.
void FactsRecorder::add_context() {
  for (auto& step : facts_.steps) {
    if (step.index == facts_.first_step) facts_.window_begin_sequence = step.begin_sequence;
    if (step.index == facts_.last_step) facts_.window_end_sequence = step.end_sequence;
  }
  facts_.end_ns = now_ns_;
  analysis::find_step_peaks(facts_.points, analysis::OpenPhases(facts_.phases), facts_.steps);
  facts_.peak_context = analysis::peak_context(facts_, facts_.peak);
  facts_.layers = analysis::layer_tree(facts_, facts_.peak.sequence, facts_.peak_context.interval);
}

analysis::Facts FactsRecorder::finish(std::int64_t first_step, std::int64_t last_step) {
  facts_.first_step = first_step;
  facts_.last_step = last_step;
  std::int64_t begin_ns = INT64_MIN, end_ns = INT64_MAX;
  for (const auto& step : facts_.steps) {
    if (step.index == first_step) begin_ns = step.begin_ns;
    if (step.index == last_step) end_ns = step.end_ns;
  }
  facts_.window_begin_ns = std::max(begin_ns, kBeginNs);
  facts_.window_end_ns = std::min(end_ns, now_ns_);
  facts_.pace = analysis::window_pace(facts_.steps, first_step, last_step);
  add_statistics(begin_ns, facts_.window_end_ns);
  add_peak(begin_ns, end_ns);
  add_context();
  facts_.forms = forms_.all();
  return std::move(facts_);
}

}  // namespace strata::report::testing
