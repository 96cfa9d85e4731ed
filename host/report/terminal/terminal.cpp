// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/analysis/checks/reconciliation.hpp"
#include "host/analysis/facts/facts.hpp"
#include "host/analysis/peak/most_reserved.hpp"
#include "host/report/advise_line.hpp"
#include "host/report/dry.hpp"
#include "host/report/peak_context.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal/check_lines.hpp"
#include "host/report/terminal/failure.hpp"
#include "host/report/terminal/layer_table.hpp"
#include "host/report/terminal/short_report.hpp"
#include "host/report/terminal/tables.hpp"
#include "host/report/terminal/terminal_tables.hpp"
#include "host/report/text.hpp"
#include "host/report/time/time_report.hpp"
#include "host/report/words/sentences.hpp"
#include "host/report/words/snapshot_words.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::RunEnd;
using analysis::StepFact;

std::string or_unnamed(std::string_view text, std::string_view unnamed) {
  return std::string(text.empty() ? unnamed : text);
}

std::string step_line(const Facts& facts) {
  const auto& pace = facts.pace;
  if (!pace.median_step_ns) return "no step ended in the window";
  if (facts.dry) {
    return fmt::format("{} of {} in the window, the host's part of one {} in the median",
                       thousands(pace.complete_steps), thousands(facts.steps.size()),
                       duration(*pace.median_step_ns));
  }
  auto text = fmt::format("{} of {} in the window, median {}", thousands(pace.complete_steps),
                          thousands(facts.steps.size()), duration(*pace.median_step_ns));
  if (pace.tokens_per_second) {
    text +=
        fmt::format(", {} {}/s on average",
                    thousands(static_cast<std::uint64_t>(std::llround(*pace.tokens_per_second))), facts.unit);
  }
  return text;
}

// Empty for a dry run: nothing was computed.
std::string loss_line(const Facts& facts) {
  if (facts.dry) return {};
  std::vector<const StepFact*> known;
  for (const auto& step : facts.steps) {
    if (!std::isnan(step.loss)) known.push_back(&step);
  }
  if (known.empty()) return {};
  return fmt::format("  loss     {:.4f} at step {}, {:.4f} at step {}\n", known.front()->loss,
                     known.front()->index, known.back()->loss, known.back()->index);
}

std::string header(const Facts& facts, const TerminalStyle& style) {
  const auto field = [&](std::string_view text) { return shortened(text, style.width - 11) + '\n'; };
  auto text = style.heading("strata") + "   " + field(or_unnamed(facts.name, "(unnamed run)"));
  text += "  run      " + field(or_unnamed(facts.directory, "(no folder)"));
  text += "  device   " + wrapped(device_text(facts), 11, style.width).substr(11);
  if (facts.dry) text += wrapped(dry_admissions(*facts.dry), 11, style.width);
  if (facts.snapshot) text += "  from     " + wrapped(snapshot_sentence(facts), 11, style.width).substr(11);
  const bool is_without_steps = facts.snapshot && facts.steps.empty();
  text += "  window   " + field(is_without_steps
                                    ? snapshot_window(facts)
                                    : fmt::format("steps {} to {}", facts.first_step, facts.last_step));
  if (!is_without_steps) text += "  steps    " + field(step_line(facts));
  // The times of a dry device's host mean nothing.
  if (const std::string steady = steady_sentence(facts); !facts.dry && !steady.empty())
    text += "  steady   " + wrapped(steady, 11, style.width).substr(11);
  if (const std::string detail = step_detail_text(facts.step_detail); !detail.empty())
    text += "  detail   " + wrapped(detail, 11, style.width).substr(11);
  text += loss_line(facts);
  const bool goes_on = facts.end == RunEnd::kOpen;
  const std::string end(goes_on ? "not yet: the run is going on" : to_string(facts.end));
  return text + "  end      " + (goes_on || facts.end == RunEnd::kDone ? end : style.alarming(end)) + '\n' +
         check_lines(facts, style);
}

// For a model created on the host and moved: a report of the device only covers the window.
bool is_before_window(const Facts& facts, const analysis::OtherMemory& other) {
  return !facts.steps.empty() && other.peak_sequence < facts.window_begin_sequence;
}

std::string peak(const Facts& facts, const TerminalStyle& style) {
  const auto& peak = facts.peak;
  const auto allocated = static_cast<double>(peak.allocated_bytes);
  const int decimals = decimals_for(allocated);
  auto text = style.heading(fmt::format("Peak {} MiB", mebibytes(allocated, decimals)));
  const bool has_no_steps = facts.snapshot && facts.steps.empty();
  auto where = has_no_steps    ? std::string()
               : peak.step < 0 ? std::string(" outside of steps")
                               : fmt::format(" at step {}", peak.step);
  if (!peak.phase.empty()) {
    where += ", " + shortened(peak.phase, style.width / 4);
  }
  where += fmt::format(", {} into the {}", duration(static_cast<double>(peak.ns - facts.begin_ns)),
                       facts.snapshot ? "history" : "run");
  text += where + '\n';
  if (peak.reserved_bytes != peak.allocated_bytes) {
    const auto most = analysis::most_reserved_in_window(facts);
    const bool more = most.bytes > peak.reserved_bytes;
    auto reserved = fmt::format("{} MiB reserved from the device {}",
                                mebibytes(static_cast<double>(peak.reserved_bytes), decimals),
                                more ? "then" : "at that moment");
    if (more) {
      reserved += fmt::format(", {} at most (step {})", mebibytes(static_cast<double>(most.bytes), decimals),
                              most.step);
    }
    text += wrapped(reserved, 2, style.width);
  }
  if (const std::string outside = outside_window_sentence(facts); !outside.empty())
    text += wrapped(outside, 2, style.width);
  if (!facts.samples.device.empty()) {
    const auto moment = analysis::reconcile(facts, peak.sequence, peak.ns);
    text +=
        wrapped(fmt::format("{} MiB of the device outside the allocator: context, libraries, other processes",
                            mebibytes(static_cast<double>(moment.outside_bytes), decimals)),
                2, style.width);
  }
  for (const auto& other : facts.other_memory) {
    std::string line = fmt::format(
        "{} MiB at most on {} {}", mebibytes(static_cast<double>(other.peak_allocated_bytes), decimals),
        other.device, is_before_window(facts, other) ? "before the window" : "beside it");
    if (other.peak_offloaded_bytes > 0) {
      line += fmt::format(", {} MiB of them offloaded activations",
                          mebibytes(static_cast<double>(other.peak_offloaded_bytes), decimals));
    }
    if (other.peak_reserved_bytes && *other.peak_reserved_bytes > other.peak_allocated_bytes) {
      line += fmt::format("; {} MiB with what the allocator rounds up and keeps for later",
                          mebibytes(static_cast<double>(*other.peak_reserved_bytes), decimals));
    }
    text += wrapped(line, 2, style.width);
  }
  std::string names;
  for (const auto& other : facts.other_memory) {
    if (!is_before_window(facts, other)) names += (names.empty() ? "" : " or ") + other.device;
  }
  if (!names.empty()) {
    text += wrapped(fmt::format("whose that is: strata report RUN --device {}", names), 2, style.width);
  }
  if (!has_no_categories(facts)) text += category_bars(facts.peak, style);
  if (const std::string changed = change_sentence(facts); !changed.empty() && !has_no_categories(facts))
    text += wrapped(changed, 2, style.width);
  for (const std::string& sentence : place_sentences(facts)) text += wrapped(sentence, 2, style.width);
  return text;
}

std::string plugins(const Facts& facts, const TerminalStyle& style) {
  std::string text;
  for (const auto& plugin : facts.plugins) {
    if (plugin.is_ok()) continue;
    text += style.alarming("Plugin") + '\n' +
            wrapped(fmt::format("{} is {}: {}", plugin.id, plugin.status,
                                or_unnamed(plugin.reason, "no reason given")),
                    2, style.width);
  }
  return text;
}

std::string warnings(std::vector<std::string> said, const analysis::StackView& stacks,
                     const TerminalStyle& style) {
  said.insert(said.end(), stacks.warnings().begin(), stacks.warnings().end());
  if (said.empty()) return {};
  auto text = style.alarming(said.size() == 1 ? "Warning" : "Warnings") + '\n';
  for (const auto& warning : said) text += wrapped(warning, 2, style.width);
  return text;
}

}  // namespace

std::string terminal_report(const Facts& facts, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  analysis::StackView stacks(facts.call_stacks);
  std::vector<std::string> parts{verdict_line(facts, colour, width) + header(facts, style)};
  if (facts.points.empty()) {
    parts.push_back(no_memory(facts, style));
  } else {
    parts.push_back(peak(facts, style));
    if (!has_no_categories(facts)) parts.push_back(category_table(facts, style));
  }
  // A snapshot has no modules, and no operators but annotations.
  if (!facts.snapshot) parts.push_back(short_layer_table("At the peak, by module", facts, facts.peak, style));
  if (!facts.snapshot || facts.peak.by_op.size() > 1)
    parts.push_back(share_table("At the peak, by op", facts.peak.by_op, facts.peak.allocated_bytes, style));
  parts.push_back(block_table(facts, stacks, style));
  parts.push_back(place_table(facts.places, style));
  parts.push_back(short_warm_up(facts, style));
  parts.push_back(time_headline(facts, style));
  parts.push_back(failures(facts, stacks, style));
  parts.push_back(plugins(facts, style));
  parts.push_back(warnings(warning_texts(facts.warnings), stacks, style));
  if (!facts.out_of_memory.empty()) parts.push_back(advise_line(facts, style.width));

  std::string report;
  for (const auto& part : parts) {
    if (part.empty()) continue;
    if (!report.empty()) report += '\n';
    report += part;
  }
  return report;
}

}  // namespace strata::report
