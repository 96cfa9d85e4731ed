// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/layer_rows.hpp"
#include "host/report/plot/bars.hpp"
#include "host/report/plot/frame.hpp"
#include "host/report/plot/memory_plot.hpp"
#include "host/report/quantity.hpp"

namespace strata::report::plot {
namespace {

using analysis::Category;
using analysis::MemoryFacts;

constexpr std::size_t kLayerRows = 28, kKindRows = 18;

std::string amount(std::uint64_t bytes, int decimals) {
  return mebibytes(static_cast<double>(bytes), decimals);
}

int decimals_of(const MemoryFacts& facts) {
  return decimals_for(static_cast<double>(facts.peak.allocated_bytes));
}

BarChart categories(const MemoryFacts& facts, const PlotOptions& options) {
  BarChart chart{
      title_of(facts, options),
      fmt::format("steps {} to {}: bars are the mean over events, lines reach from the least to the most, "
                  "thick ticks are the median",
                  facts.first_step, facts.last_step),
      {},
      "mean, MiB"};
  for (std::size_t index = 0; index < analysis::kCategories; ++index) {
    const auto& of = facts.statistics.at(index);
    BarRow row{.label = to_string(static_cast<Category>(index)),
               .amount = mebibytes(of.mean_over_events, decimals_of(facts)),
               .least = static_cast<double>(of.min),
               .middle = static_cast<double>(of.median),
               .most = static_cast<double>(of.max)};
    row.segments.at(index) = static_cast<std::uint64_t>(of.mean_over_events);
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

analysis::LayerTree tree_of(const MemoryFacts& facts, const std::optional<std::int64_t>& step) {
  if (!step) return folded_layer_tree(facts, facts.layers.sequence, facts.layers.interval);
  const auto found = std::ranges::find(facts.steps, *step, &analysis::StepFact::index);
  if (found == facts.steps.end()) throw std::out_of_range(fmt::format("the run recorded no step {}", *step));
  return folded_layer_tree(facts, found->peak_sequence, interval_of(facts, *step));
}

BarChart layers(const MemoryFacts& facts, const PlotOptions& options) {
  BarChart chart{title_of(facts, options),
                 options.step ? fmt::format("what each module holds at the peak of step {}", *options.step)
                              : "what each module holds at the peak",
                 {},
                 "MiB"};
  const analysis::LayerTree tree = tree_of(facts, options.step);
  for (const LayerRow& row : largest_layer_rows(tree, kLayerRows)) {
    BarRow bar{.label = row.label,
               .indent = static_cast<int>(row.depth),
               .amount = amount(row.bytes, decimals_of(facts))};
    if (row.kind == LayerRow::Kind::kNode) bar.segments = row.node->total;
    if (row.kind == LayerRow::Kind::kItself) bar.segments = row.node->self;
    chart.rows.push_back(std::move(bar));
  }
  return chart;
}

// A kind's label is "Activation/saved".
Category category_of(std::string_view label) {
  const std::string_view name = label.substr(0, label.find('/'));
  for (std::size_t index = 0; index < analysis::kCategories; ++index) {
    if (name == to_string(static_cast<Category>(index))) return static_cast<Category>(index);
  }
  return Category::kUnknown;
}

BarChart peak(const MemoryFacts& facts, const PlotOptions& options) {
  const auto& peak = facts.peak;
  BarChart chart{title_of(facts, options),
                 fmt::format("alive at the peak of {} MiB{}{}", amount(peak.allocated_bytes, 1),
                             peak.step < 0 ? "" : fmt::format(", step {}", peak.step),
                             peak.phase.empty() ? "" : ", " + peak.phase),
                 {},
                 "MiB, share"};
  for (const auto& kind : peak.by_kind) {
    if (chart.rows.size() == kKindRows) break;
    BarRow row{.label = kind.label,
               .amount = fmt::format(
                   "{}  {}", amount(kind.bytes, decimals_of(facts)),
                   percentage(static_cast<double>(kind.bytes), static_cast<double>(peak.allocated_bytes)))};
    std::ranges::replace(row.label, '/', ' ');
    row.segments.at(static_cast<std::size_t>(category_of(kind.label))) = kind.bytes;
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

}  // namespace

std::string draw(const MemoryFacts& facts, Picture picture, const PlotOptions& options) {
  switch (picture) {
    case Picture::kMemory:
      return draw_memory(facts, options);
    case Picture::kCategories:
      return draw_bars(categories(facts, options), options);
    case Picture::kLayers:
      return draw_bars(layers(facts, options), options);
    case Picture::kPeak:
      return draw_bars(peak(facts, options), options);
  }
  throw std::logic_error("no such picture");
}

}  // namespace strata::report::plot
