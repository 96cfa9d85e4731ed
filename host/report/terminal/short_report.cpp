// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/short_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "host/analysis/checks/reconciliation.hpp"
#include "host/analysis/facts/facts.hpp"
#include "host/analysis/peak/most_reserved.hpp"
#include "host/analysis/shapes/find_shapes.hpp"
#include "host/report/advise_line.hpp"
#include "host/report/peak_context.hpp"
#include "host/report/quantity.hpp"
#include "host/report/shell_word.hpp"
#include "host/report/terminal/check_lines.hpp"
#include "host/report/terminal/failure.hpp"
#include "host/report/terminal/layer_table.hpp"
#include "host/report/terminal/terminal_tables.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"
#include "host/report/words/sentences.hpp"
#include "host/report/words/snapshot_words.hpp"
#include "host/report/words/unrecorded_modules.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::OutOfMemory;
using analysis::Peak;
using analysis::RunEnd;

constexpr std::size_t kFewestLayerRows = 4, kMostLayerRows = 8;
constexpr std::size_t kMostWarnings = 2, kMostFindings = 3;
constexpr int kCommandColumn = 24;

std::size_t lines_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::string amount(std::uint64_t bytes, int decimals) {
  return mebibytes(static_cast<double>(bytes), decimals);
}

std::uint64_t capacity_of(const Facts& facts) {
  if (!facts.samples.device.empty()) return facts.samples.device.back().total_bytes;
  return facts.dry ? facts.dry->memory_bytes : 0;
}

bool is_measured(const Facts& facts) {
  return !facts.dry || facts.dry->modelled_clock.has_value();
}

std::string end_text(const Facts& facts) {
  return facts.end == RunEnd::kUnknown ? "nobody knows how" : std::string(to_string(facts.end));
}

std::string device_line(const Facts& facts, const Peak& peak, const TerminalStyle& style) {
  const int decimals = decimals_for(static_cast<double>(peak.allocated_bytes));
  std::vector<std::string> parts;
  if (peak.reserved_bytes != peak.allocated_bytes) {
    const auto most = analysis::most_reserved_in_window(facts).bytes;
    parts.push_back(amount(peak.reserved_bytes, decimals) + " MiB reserved");
    if (most > peak.reserved_bytes) parts.back() += fmt::format(" ({} at most)", amount(most, decimals));
  }
  if (!facts.samples.device.empty()) {
    const auto moment = analysis::reconcile(facts, peak.sequence, peak.ns);
    parts.push_back(amount(static_cast<std::uint64_t>(moment.outside_bytes), decimals) +
                    " MiB outside the allocator");
  }
  const std::uint64_t capacity = capacity_of(facts);
  if (parts.empty() && capacity == 0) return {};
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (capacity > 0) text += fmt::format("{}of {} MiB", parts.empty() ? "" : ", ", amount(capacity, decimals));
  return wrapped(text, 2, style.width);
}

std::string step_line(const Facts& facts, const TerminalStyle& style) {
  const auto& pace = facts.pace;
  if (!is_measured(facts) || !pace.median_step_ns) return {};
  std::string text = fmt::format("{} of {}, median {}{}", thousands(pace.complete_steps),
                                 counted(facts.steps.size(), "step", "steps"), duration(*pace.median_step_ns),
                                 facts.dry ? " by the modelled clock" : "");
  if (pace.tokens_per_second && !facts.dry)
    text +=
        fmt::format(", {} {}/s", thousands(static_cast<std::uint64_t>(std::llround(*pace.tokens_per_second))),
                    facts.unit);
  return wrapped(text, 2, style.width);
}

std::string head(const Facts& facts, const OutOfMemory* failure, const TerminalStyle& style) {
  const Peak& peak = failure != nullptr ? failure->held : facts.peak;
  const auto allocated = static_cast<double>(peak.allocated_bytes);
  std::string text;
  if (failure != nullptr) {
    const FailureText told = failure_text(facts, *failure);
    text = style.alarming("Out of memory") + '\n' + wrapped(told.asked, 2, style.width) +
           wrapped(told.room, 2, style.width);
    if (!told.note.empty()) text += wrapped(told.note, 2, style.width);
  } else if (facts.points.empty()) {
    return no_memory(facts, style);
  } else {
    std::string where = peak.step < 0 ? " outside of steps" : fmt::format(" at step {}", peak.step);
    if (!peak.phase.empty()) where += ", " + shortened(peak.phase, style.width / 4);
    text = style.heading(fmt::format("Peak {} MiB", mebibytes(allocated, decimals_for(allocated)))) + where +
           '\n' + device_line(facts, peak, style);
  }
  if (const std::string outside = outside_window_sentence(facts); !outside.empty())
    text += wrapped(outside, 2, style.width);
  text += step_line(facts, style);
  const bool is_end_known =
      facts.end == RunEnd::kDone || (failure != nullptr && facts.end == RunEnd::kOutOfMemory);
  if (!is_end_known) text += "  ended: " + style.alarming(end_text(facts)) + '\n';
  return text + failed_checks(facts, style);
}

// Whether allocated memory stays above the shape's height between its end and the peak.
bool leads_to_peak(const Facts& facts, const analysis::Shape& shape) {
  const auto step = std::ranges::find(facts.steps, facts.peak.step, &analysis::StepFact::index);
  const bool is_of_step = step == facts.steps.end() || shape.begin_ns >= step->begin_ns;
  if (!is_of_step || shape.begin_ns > facts.peak.ns) return false;
  return std::ranges::none_of(facts.points, [&](const analysis::Point& point) {
    const bool is_between = shape.end_ns < point.ns && point.sequence < facts.peak.sequence;
    return is_between && analysis::sum(point.bytes) < shape.level_bytes;
  });
}

// The largest shape below the peak, excluding memory that is always there.
std::optional<analysis::Shape> shape_of_peak(const Facts& facts) {
  using enum analysis::ShapeKind;
  std::optional<analysis::Shape> found;
  for (analysis::Shape& shape : find_shapes(facts)) {
    const bool stays =
        shape.kind == kConstantBand || shape.kind == kRepeatingStep || shape.kind == kFragmentation;
    if (stays || !leads_to_peak(facts, shape)) continue;
    const auto order = [](const analysis::Shape& one) {
      return std::pair(one.bytes, -static_cast<int>(one.kind));
    };
    if (!found || order(shape) > order(*found)) found = std::move(shape);
  }
  return found;
}

std::string sentence(std::string_view text, const TerminalStyle& style) {
  return wrapped(text, 2, style.width);
}

std::string command(std::string_view what, std::string_view line) {
  return fmt::format("  {:<{}}{}\n", what, kCommandColumn, line);
}

// Why the memory is as high as that at that moment, the most telling first.
std::vector<std::string> reasons(const Facts& facts, const std::optional<analysis::Shape>& shape,
                                 const TerminalStyle& style) {
  std::vector<std::string> said;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) said.push_back(sentence(text, style));
  };
  if (shape)
    add(fmt::format("{}: {}", name_of(shape->kind).title, words_of(*shape, framework_of(facts)).sentence));
  add(change_sentence(facts));
  for (const std::string& place : place_sentences(facts)) add(place);
  return said;
}

std::string next(const Facts& facts, const OutOfMemory* failure, const std::optional<analysis::Shape>& shape,
                 const std::string& run, const TerminalStyle& style) {
  std::string text =
      failure != nullptr ? finding_lines(failure->findings, kMostFindings, style) : std::string();
  text += style.heading("Next") + '\n';
  if (shape)
    text += sentence(fmt::format("to lower it: {}", words_of(*shape, framework_of(facts)).remedy), style);
  if (const std::string_view how = how_to_record_modules(facts); !how.empty())
    text += command("which layers:", how);
  const std::string report = "strata report " + shell_word(run);
  if (failure == nullptr && !facts.points.empty())
    text += command("what would change it:", report + " --shapes");
  return text + command("all tables:", report);
}

std::string trouble(const Facts& facts, const TerminalStyle& style) {
  std::vector<std::string> said;
  for (const auto& plugin : facts.plugins) {
    if (!plugin.is_ok())
      said.push_back(fmt::format("plugin {} is {}: {}", plugin.id, plugin.status,
                                 plugin.reason.empty() ? "no reason given" : plugin.reason));
  }
  for (const analysis::Warning& warning : facts.warnings) said.push_back(warning_text(warning));
  if (said.empty()) return {};
  std::string text = style.alarming(said.size() == 1 ? "Warning" : "Warnings") + '\n';
  for (const std::string& one : std::span(said).first(std::min(said.size(), kMostWarnings)))
    text += sentence(one, style);
  if (said.size() > kMostWarnings)
    text += fmt::format("  {} more with --detail\n", said.size() - kMostWarnings);
  return text;
}

}  // namespace

std::string short_report(const Facts& facts, const std::string& run, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  const OutOfMemory* const failure = facts.out_of_memory.empty() ? nullptr : &facts.out_of_memory.front();
  const bool has_memory = failure != nullptr || !facts.points.empty();
  const Peak& moment = failure != nullptr ? failure->held : facts.peak;
  const auto shape = failure == nullptr && has_memory ? shape_of_peak(facts) : std::nullopt;

  const std::string above =
      head(facts, failure, style) +
      (has_memory ? style.heading("What it was") + '\n' + largest_categories(moment, style) : "");
  const std::string below = next(facts, failure, shape, run, style) + trouble(facts, style) +
                            (failure != nullptr ? advise_line(facts, style.width) : "");
  const std::vector<std::string> why =
      failure == nullptr && has_memory ? reasons(facts, shape, style) : std::vector<std::string>{};

  // The most informative part gets its space first.
  const analysis::LayerTree tree = has_memory ? layer_tree_at(facts, moment) : analysis::LayerTree{};
  const auto layers = [&](std::size_t rows) { return largest_layers("Where", tree, rows, style); };
  const std::size_t taken = lines_of(above) + lines_of(below) + lines_of(layers(kFewestLayerRows));
  std::size_t left = kShortReportLines > taken ? kShortReportLines - taken : 0;
  std::string reason;
  for (const std::string& one : why) {
    const std::string added = (reason.empty() ? style.heading("Why then") + '\n' : "") + one;
    if (lines_of(added) > left) break;
    reason += added;
    left -= lines_of(added);
  }
  std::string where = layers(kFewestLayerRows);
  for (std::size_t rows = kMostLayerRows; rows > kFewestLayerRows; --rows) {
    std::string more = layers(rows);
    if (lines_of(more) > lines_of(where) + left) continue;
    where = std::move(more);
    break;
  }
  return above + where + reason + below;
}

std::string verdict_line(const Facts& facts, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  const auto line = [&](const std::string& text) { return shortened(text, style.width); };
  if (!facts.out_of_memory.empty()) {
    const OutOfMemory& failure = facts.out_of_memory.front();
    std::string text = fmt::format("Out of memory: {} MiB asked for", amount(failure.requested_bytes, 1));
    if (failure.device_free_bytes)
      text += fmt::format(", {} MiB left on the device", amount(*failure.device_free_bytes, 1));
    return style.alarming(line(text + '.')) + '\n';
  }
  if (facts.points.empty()) return style.alarming("No allocation was recorded.") + '\n';
  const Peak& peak = facts.peak;
  const auto allocated = static_cast<double>(peak.allocated_bytes);
  const int decimals = decimals_for(allocated);
  if (has_no_categories(facts))
    return style.heading(line(fmt::format("Peak {} MiB.", mebibytes(allocated, decimals)))) + '\n';
  const auto largest = std::ranges::max_element(peak.categories);
  const std::uint64_t unknown = peak.categories[static_cast<std::size_t>(analysis::Category::kUnknown)];
  const std::string text =
      fmt::format("Peak {} MiB, {} of it {}", mebibytes(allocated, decimals),
                  percentage(static_cast<double>(*largest), allocated),
                  to_string(static_cast<analysis::Category>(largest - peak.categories.begin())));
  if (facts.end != RunEnd::kDone && facts.end != RunEnd::kOpen)
    return style.alarming(line(fmt::format("Ended: {}. {}.", end_text(facts), text))) + '\n';
  return style.heading(line(fmt::format("{}; {}.", text,
                                        unknown == 0 ? "every byte has a category"
                                                     : amount(unknown, decimals) + " MiB of it unknown"))) +
         '\n';
}

}  // namespace strata::report
