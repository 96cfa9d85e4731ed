// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_data.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "host/analysis/checks/reconciliation.hpp"
#include "host/analysis/facts/facts.hpp"
#include "host/analysis/peak/most_reserved.hpp"
#include "host/analysis/shapes/find_shapes.hpp"
#include "host/report/dry.hpp"
#include "host/report/page_data/page_parts.hpp"
#include "host/report/peak_context.hpp"
#include "host/report/stream/event_columns.hpp"
#include "host/report/text.hpp"
#include "host/report/timeline.hpp"
#include "host/report/words/reasons.hpp"
#include "host/report/words/sentences.hpp"
#include "host/report/words/snapshot_words.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using nlohmann::json;

constexpr std::size_t kShares = 100;
constexpr std::size_t kSteps = 3000;
constexpr std::size_t kPhases = 8000;
constexpr std::size_t kWarnings = 200;

std::string name(std::string_view text) {
  return clipped(text, kNameBytes);
}

template <typename... Value>
json row(const Value&... values) {
  auto list = json::array();
  (list.push_back(values), ...);
  return list;
}

// `limit` elements around the one at `centre`, or all of them.
template <typename T>
std::span<const T> around(const std::vector<T>& list, std::size_t centre, std::size_t limit) {
  if (list.size() <= limit) return list;
  const auto first = std::min(centre > limit / 2 ? centre - limit / 2 : 0, list.size() - limit);
  return std::span(list).subspan(first, limit);
}

std::span<const analysis::StepFact> kept_steps(const Facts& facts) {
  const auto peak = std::ranges::find(facts.steps, facts.peak.step, &analysis::StepFact::index);
  return around(facts.steps, static_cast<std::size_t>(peak - facts.steps.begin()), kSteps);
}

std::span<const analysis::PhaseFact> kept_phases(const Facts& facts) {
  const auto peak =
      std::ranges::lower_bound(facts.phases, facts.peak.sequence, {}, &analysis::PhaseFact::begin_sequence);
  return around(facts.phases, static_cast<std::size_t>(peak - facts.phases.begin()), kPhases);
}

// The interval of the run that `kept`, a part of `list`, covers completely.
template <typename T>
json kept_interval(const std::vector<T>& list, std::span<const T> kept, const RunTime& time) {
  const auto until = list.data() + list.size();
  const auto* const next = kept.data() + kept.size();
  return row(kept.data() == list.data() ? 0 : kept.front().begin_ns - time.begin_ns,
             (next == until ? time.end_ns : next->begin_ns) - time.begin_ns);
}

// Of the whole device; null if unknown.
json capacity_data(const Facts& facts) {
  if (!facts.samples.device.empty()) return facts.samples.device.back().total_bytes;
  if (facts.dry && facts.dry->memory_bytes > 0) return facts.dry->memory_bytes;
  return {};
}

// Objects are filled key by key: nested initializer lists of this library take minutes to compile.
json run_data(const Facts& facts, const RunTime& time, const EventStream& stream) {
  const auto within_run = [&](std::int64_t ns) {
    return std::clamp(ns, time.begin_ns, time.end_ns) - time.begin_ns;
  };
  const auto or_null = [](const std::optional<double>& number) { return number ? json(*number) : json(); };
  json data;
  data["name"] = name(facts.name);
  data["directory"] = name(facts.directory);
  data["device"] = name(device_text(facts));
  data["dry"] = facts.dry ? json(name(dry_admissions(*facts.dry))) : json();
  data["snapshot"] = facts.snapshot ? json(name(snapshot_sentence(facts))) : json();
  data["has_categories"] = !has_no_categories(facts);
  data["paced_by_host"] = facts.dry && !facts.dry->modelled_clock;  // its times mean nothing
  data["end"] = to_string(facts.end);
  data["detail"] = step_detail_text(facts.step_detail);
  data["first_step"] = facts.first_step;
  data["last_step"] = facts.last_step;
  data["window_begin_ns"] = within_run(facts.window_begin_ns);
  data["window_end_ns"] = within_run(facts.window_end_ns);
  data["window_begin_state"] = stream.state_before(facts.window_begin_sequence);
  data["window_end_state"] = stream.state_after(facts.window_end_sequence);
  data["steps"] = facts.steps.size();
  data["complete_steps"] = facts.pace.complete_steps;
  data["median_step_ns"] = or_null(facts.pace.median_step_ns);
  data["tokens_per_second"] = or_null(facts.pace.tokens_per_second);
  data["unit"] = name(facts.unit);
  data["events"] = facts.points.size();
  data["duration_ns"] = time.end_ns - time.begin_ns;
  data["capacity_bytes"] = capacity_data(facts);
  return data;
}

json statistics_data(const char* label, const analysis::CategoryStatistics& statistics,
                     std::uint64_t at_peak) {
  json data;
  data["name"] = label;
  data["peak"] = at_peak;
  data["mean_over_events"] = statistics.mean_over_events;
  data["mean_over_time"] = statistics.mean_over_time;
  data["min"] = statistics.min;
  data["median"] = statistics.median;
  data["max"] = statistics.max;
  return data;
}

json categories_data(const Facts& facts) {
  auto categories = json::array();
  for (std::size_t i = 0; i < analysis::kCategories; ++i) {
    categories.push_back(statistics_data(to_string(static_cast<analysis::Category>(i)), facts.statistics[i],
                                         facts.peak.categories[i]));
  }
  return categories;
}

json shares_data(const std::vector<analysis::PeakShare>& shares) {
  auto list = json::array();
  for (const auto& share : std::span(shares).first(std::min(shares.size(), kShares))) {
    json data;
    data["label"] = name(share.label);
    data["bytes"] = share.bytes;
    data["blocks"] = share.blocks;
    list.push_back(std::move(data));
  }
  return list;
}

json block_data(const Facts& facts, const analysis::Block& block, std::int64_t begin_ns) {
  const auto text = [&](std::uint32_t index) { return name(facts.texts.at(index)); };
  const auto* phase = block.phase == 0 ? nullptr : &facts.phases.at(block.phase - 1);
  json data;
  data["bytes"] = block.bytes;
  data["category"] = static_cast<int>(block.category);
  data["kind"] = to_string(block.kind);
  data["reason"] = reason_text(block.reason);
  data["name"] = text(block.name);
  data["op"] = text(block.op);
  data["layer"] = text(block.layer);
  data["saver"] = text(block.saver);
  const auto& form = facts.forms.at(block.form);
  data["dtype"] = text(form.dtype);
  data["shape"] = text(form.shape);
  data["phase"] = phase == nullptr ? "" : name(phase->name);
  data["step"] = phase == nullptr ? -1 : phase->step;
  data["birth_ns"] = block.birth_ns - begin_ns;
  data["death_ns"] = block.death_ns == INT64_MAX ? json() : json(block.death_ns - begin_ns);
  return data;
}

// The context of the peak, in sentences.
json story_data(const Facts& facts) {
  auto list = json::array();
  if (const auto changed = change_sentence(facts); !changed.empty())
    list.push_back(clipped(changed, kSentenceBytes));
  for (const auto& sentence : place_sentences(facts)) list.push_back(clipped(sentence, kSentenceBytes));
  return list;
}

json peak_data(const Facts& facts, const RunTime& time, const EventStream& stream) {
  const auto& peak = facts.peak;
  auto blocks = json::array();
  for (const auto index : peak.largest_blocks) {
    blocks.push_back(block_data(facts, facts.blocks.at(index), time.begin_ns));
  }
  json data;
  data["allocated_bytes"] = peak.allocated_bytes;
  data["reserved_bytes"] = peak.reserved_bytes;
  data["most_reserved_bytes"] = analysis::most_reserved_in_window(facts).bytes;
  data["outside_bytes"] = facts.samples.device.empty()
                              ? json()
                              : json(analysis::reconcile(facts, peak.sequence, peak.ns).outside_bytes);
  data["ns"] = facts.points.empty() ? 0 : peak.ns - time.begin_ns;
  data["state"] = facts.points.empty() ? 0 : stream.state_after(peak.sequence);
  data["step"] = peak.step;
  data["phase"] = name(peak.phase);
  data["outside_window"] = name(outside_window_sentence(facts));
  data["by_kind"] = shares_data(peak.by_kind);
  data["largest_blocks"] = std::move(blocks);
  data["places"] = place_data(facts);
  data["story"] = story_data(facts);
  return data;
}

json checks_data(const Facts& facts) {
  auto list = json::array();
  if (const auto& check = facts.cross_check) {
    list.push_back(row("Sums equal to c10's own count", check->events_compared - check->mismatches,
                       check->events, check->holds()));
  }
  if (const auto& check = facts.stats_check) {
    list.push_back(row("Counts and peaks equal to DeviceStats", check->values - check->mismatches,
                       check->values, check->holds()));
  }
  if (const auto& truth = facts.truth) {
    list.push_back(row("Compared blocks labelled as autograd does",
                       truth->compared_blocks - truth->labelled_differently().blocks, truth->compared_blocks,
                       truth->holds()));
  }
  return list;
}

json steps_data(const Facts& facts, const RunTime& time, const EventStream& stream) {
  auto list = json::array();
  for (const auto& step : kept_steps(facts)) {
    list.push_back(row(step.index, step.schedule, step.begin_ns - time.begin_ns,
                       std::min(step.end_ns, time.end_ns) - time.begin_ns, step.loss, step.tokens,
                       step.peak_allocated_bytes, step.peak_reserved_bytes, step.complete,
                       stream.state_before(step.begin_sequence), stream.state_after(step.end_sequence)));
  }
  return list;
}

// Names are kept once, and found again by their index.
class NameTable {
 public:
  std::size_t index_of(const std::string& text) {
    const auto [found, is_new] = indices_.try_emplace(text, names_.size());
    if (is_new) names_.push_back(name(text));
    return found->second;
  }
  json take() { return std::move(names_); }

 private:
  std::map<std::string, std::size_t> indices_;
  json names_ = json::array();
};

json phases_data(const Facts& facts, const RunTime& time, const EventStream& stream) {
  NameTable names;
  auto list = json::array();
  for (const auto& phase : kept_phases(facts)) {
    list.push_back(row(names.index_of(phase.name), phase.kind, phase.step, phase.micro_batch, phase.depth,
                       phase.begin_ns - time.begin_ns, std::min(phase.end_ns, time.end_ns) - time.begin_ns,
                       stream.state_before(phase.begin_sequence), stream.state_after(phase.end_sequence)));
  }
  json data;
  data["names"] = names.take();
  data["list"] = std::move(list);
  return data;
}

json plugins_data(const Facts& facts) {
  auto list = json::array();
  for (const auto& plugin : facts.plugins) {
    json data;
    data["id"] = name(plugin.id);
    data["status"] = name(plugin.status);
    data["reason"] = name(plugin.reason);
    data["faults"] = plugin.faults;
    list.push_back(std::move(data));
  }
  return list;
}

json warnings_data(const Facts& facts) {
  auto list = json::array();
  for (const auto& warning : std::span(facts.warnings).first(std::min(facts.warnings.size(), kWarnings))) {
    list.push_back(name(warning_text(warning)));
  }
  return list;
}

json kept_data(const Facts& facts, const RunTime& time) {
  json data;
  data["steps"] = kept_interval(facts.steps, kept_steps(facts), time);
  data["phases"] = kept_interval(facts.phases, kept_phases(facts), time);
  return data;
}

json left_out_data(const Facts& facts) {
  const auto beyond = [](std::size_t count, std::size_t limit) { return count - std::min(count, limit); };
  json data;
  data["steps"] = beyond(facts.steps.size(), kSteps);
  data["phases"] = beyond(facts.phases.size(), kPhases);
  data["warnings"] = beyond(facts.warnings.size(), kWarnings);
  data["layers"] = beyond(facts.layers.nodes.size(), kPageLayers);
  return data;
}

// Both together are to leave the page below 12 MB.
std::size_t most_intervals(const EventStream& stream) {
  constexpr std::size_t kManyEvents = 1'000'000;
  return LaneLimits().intervals / (stream.events.size() > kManyEvents ? 2 : 1);
}

// The element that holds it cannot be ended by it.
std::string element_text(const json& data) {
  const auto text = data.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string escaped;
  escaped.reserve(text.size());
  for (const char character : text) {
    if (character == '<')
      escaped += "\\u003c";
    else
      escaped += character;
  }
  return escaped;
}

}  // namespace

PageData page_data(const Facts& facts) {
  const RunTime time = run_time(facts);
  const EventStream stream = event_stream(facts);
  EventColumns columns = event_columns(facts, stream, time.begin_ns);
  const Lanes lanes = lanes_of(facts, {.intervals = most_intervals(stream)});
  LaneColumns lane_sections = lane_columns(facts, lanes, time.begin_ns);
  std::ranges::move(lane_sections.sections, std::back_inserter(columns.sections));
  json data;
  data["run"] = run_data(facts, time, stream);
  data["categories"] = categories_data(facts);
  data["total"] = statistics_data("Total", facts.total, facts.peak.allocated_bytes);
  data["peak"] = peak_data(facts, time, stream);
  data["layers"] = layers_data(facts);
  data["events"] = columns.directory(stream);
  data["phases"] = phases_data(facts, time, stream);
  data["steps"] = steps_data(facts, time, stream);
  data["plugins"] = plugins_data(facts);
  data["ops"] = ops_data(facts);
  data["lanes"] = lanes_data(facts, lanes, lane_sections);
  data["time"] = time_data(facts);
  data["scopes"] = scopes_data(facts);
  data["warm_up"] = warm_up_data(facts);
  data["faults"] = faults_data(facts);
  data["checks"] = checks_data(facts);
  data["failures"] = failures_data(facts);
  data["ran_out"] = ran_out_data(facts, stream, time.begin_ns);
  data["warnings"] = warnings_data(facts);
  data["kept"] = kept_data(facts, time);
  data["left_out"] = left_out_data(facts);
  const std::vector<analysis::Shape> shapes = find_shapes(facts);
  data["shapes"] = shapes_data(facts, shapes, stream, time.begin_ns);
  data["left_out"]["shapes"] = shapes.size() - std::min(shapes.size(), kPageShapes);
  return {element_text(data), columns.packed()};
}

}  // namespace strata::report
