// SPDX-License-Identifier: Apache-2.0
#include "host/report/top/top_screen.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "host/analysis/live/live_rank.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

// The memory of one device as bars.

using analysis::Category;
using analysis::LiveDevice;

constexpr int kNameColumns = 15;
constexpr int kAmountColumns = 12;
constexpr int kShareColumns = 8;

int bar_columns(const TerminalStyle& style) {
  return style.width - 2 - kNameColumns - 2 - kAmountColumns - kShareColumns;
}

// Solid columns for the certain part, pale ones for the rest.
std::string two_part_bar(std::uint64_t certain, std::uint64_t rest, std::uint64_t whole, int columns) {
  if (rest == 0) return bar(certain, whole, columns);
  const auto cells = [&](std::uint64_t part) {
    const double share =
        whole == 0 ? 0.0 : static_cast<double>(std::min(part, whole)) / static_cast<double>(whole);
    return static_cast<int>(std::lround(share * columns));
  };
  const int all = std::max(cells(certain + rest), 1);
  const int solid = std::min(cells(certain), all - 1);
  std::string text;
  for (int i = 0; i < all; ++i) text += i < solid ? "█" : "░";
  text.append(static_cast<std::size_t>(columns - all), ' ');
  return text;
}

std::string row(std::string_view name, std::string_view drawn, std::uint64_t bytes, std::uint64_t whole,
                int decimals) {
  return fmt::format("  {:<{}}  {}{:>{}}{:>{}}\n", name, kNameColumns, drawn,
                     mebibytes(static_cast<double>(bytes), decimals), kAmountColumns,
                     percentage(static_cast<double>(bytes), static_cast<double>(whole)), kShareColumns);
}

std::string heading(const LiveDevice& device, std::uint64_t whole, const TerminalStyle& style) {
  const std::string of = device.capacity_bytes
                             ? fmt::format(", of {}", mebibytes(static_cast<double>(whole), 0))
                             : std::string(", of the peak");
  return style.heading(fmt::format("Memory on {} in MiB{}", device.name, of)) + '\n';
}

std::string peak_line(const LiveDevice& device) {
  if (device.peak_step < 0) return {};
  const std::string phase = device.peak_phase.empty() ? "" : ", " + shortened(device.peak_phase, 30);
  return fmt::format("  {:<{}}  at step {}{}\n", "", kNameColumns, device.peak_step, phase);
}

std::string categories(const LiveDevice& device, int decimals, const TerminalStyle& style) {
  const auto& [owned, provisional] = device.categories;
  const std::uint64_t whole = std::max<std::uint64_t>(device.allocated_bytes, 1);
  std::string text = style.heading("Allocated now, by category") + '\n';
  for (std::size_t i = 0; i < analysis::kCategories; ++i) {
    const auto category = static_cast<Category>(i);
    const auto drawn = two_part_bar(owned[i], provisional[i], whole, bar_columns(style));
    text += row(to_string(category), style.in_colour_of(category, drawn), owned[i] + provisional[i], whole,
                decimals);
  }
  const std::uint64_t unsure = analysis::sum(provisional);
  if (unsure == 0) return text;
  return text +
         style.dimmed(fmt::format("  ░ provisional, by the phase of its birth: {} MiB",
                                  mebibytes(static_cast<double>(unsure), decimals))) +
         '\n';
}

// Allocated, reserved, peak and use of the device, and allocated memory by category.
std::string top_memory(const LiveDevice& device, const TerminalStyle& style) {
  const std::uint64_t most = std::max(device.peak_allocated_bytes, device.peak_reserved_bytes);
  const std::uint64_t whole = std::max<std::uint64_t>(device.capacity_bytes.value_or(most), 1);
  const int decimals = decimals_for(static_cast<double>(most));
  const auto drawn = [&](std::uint64_t bytes) { return bar(bytes, whole, bar_columns(style)); };
  const auto line = [&](std::string_view name, std::uint64_t bytes) {
    return row(name, drawn(bytes), bytes, whole, decimals);
  };
  std::string text = heading(device, whole, style);
  text += line("allocated", device.allocated_bytes);
  text += line("peak allocated", device.peak_allocated_bytes);
  text += peak_line(device);
  if (device.reserved_bytes) {
    text += line("reserved", *device.reserved_bytes);
    text += line("peak reserved", device.peak_reserved_bytes);
  }
  if (device.used_bytes) text += line("used by all", *device.used_bytes);
  if (device.failures > 0) {
    text += style.alarming(fmt::format("  out of memory: {}, the last of {} MiB",
                                       counted(device.failures, "allocation failed", "allocations failed"),
                                       mebibytes(static_cast<double>(device.last_failure_bytes), decimals))) +
            '\n';
  }
  return text + '\n' + categories(device, decimals, style);
}

using analysis::LiveRank;
using analysis::LiveState;
using analysis::RunEnd;

constexpr int kNarrowestScreen = 60;
constexpr int kFieldColumns = 11;
// For a program under `strata exec`, which is configured with 1,000,000,000 steps.
constexpr std::uint64_t kNoLastStep = 999'999'999;

std::string end_text(const LiveRank& rank) {
  return rank.end ? std::string(to_string(*rank.end)) : "it does not say how";
}

std::string state_text(const LiveRank& rank) {
  switch (rank.state) {
    case LiveState::kEnded:
      return "ended: " + end_text(rank);
    case LiveState::kKilled:
      return "killed";
    case LiveState::kUnwritten:
      return "open, and no process here writes it";
    case LiveState::kWaiting:
      return "waiting for its first rows";
    case LiveState::kRunning:
      return rank.caught_up
                 ? "running"
                 : fmt::format("running; reading what is there, {} rows so far", thousands(rank.rows));
  }
  return {};
}

bool is_alarming(const LiveRank& rank) {
  return rank.state == LiveState::kKilled || (rank.state == LiveState::kEnded && rank.end != RunEnd::kDone);
}

std::string per_second(const LiveRank& rank) {
  if (!rank.pace || !rank.pace->counted_per_second) return {};
  return fmt::format("{} {}/s",
                     thousands(static_cast<std::uint64_t>(std::llround(*rank.pace->counted_per_second))),
                     rank.unit);
}

std::string window_text(const LiveRank& rank) {
  if (rank.last_step > (std::uint64_t{1} << 62) && rank.first_step == 0) return "";  // unknown
  if (rank.last_step >= kNoLastStep)
    return rank.first_step == 0 ? ", all steps" : fmt::format(", window from step {}", rank.first_step);
  return fmt::format(", window steps {} to {}", rank.first_step, rank.last_step);
}

std::string step_text(const LiveRank& rank) {
  if (!rank.step) return "none has begun";
  static constexpr std::array<std::string_view, 3> kSchedule{"waiting", "warm-up", "active"};
  const auto schedule = rank.schedule < kSchedule.size() ? kSchedule.at(rank.schedule) : "";
  return fmt::format("{}, {}{}", *rank.step, schedule, window_text(rank));
}

std::string phase_text(const LiveRank& rank) {
  if (rank.state == LiveState::kEnded) return {};
  if (rank.phase.empty()) return rank.step_open ? "none" : "between steps";
  return rank.state == LiveState::kRunning ? fmt::format("{}, for {}", rank.phase, duration(rank.phase_ns))
                                           : rank.phase;
}

std::string time_text(const LiveRank& rank) {
  if (!rank.pace) return {};
  const auto& pace = *rank.pace;
  std::string text = duration(rank.last_step_ns.value_or(0.0));
  if (pace.steps > 1) {
    text += fmt::format("; of the last {} median {}, {} to {}", pace.steps, duration(pace.median_ns),
                        duration(pace.least_ns), duration(pace.most_ns));
  }
  return text;
}

std::string process_text(const LiveRank& rank) {
  std::string text = fmt::format("{}, rank {}", rank.pid, rank.rank);
  if (rank.resident_bytes > 0) {
    text += fmt::format(", RSS {} MiB, at most {}", mebibytes(static_cast<double>(rank.resident_bytes), 0),
                        mebibytes(static_cast<double>(rank.peak_resident_bytes), 0));
  }
  return text;
}

std::string header(const TopView& view, const LiveRank& rank, const TerminalStyle& style) {
  const int room = style.width - kFieldColumns;
  std::string text;
  const auto field = [&](std::string_view name, std::string_view value, bool alarm = false) {
    if (value.empty()) return;
    const std::string shown = shortened(value, room);
    text += fmt::format("  {:<9}{}\n", name, alarm ? style.alarming(shown) : shown);
  };
  const std::string age = rank.elapsed_ns > 0 ? ", " + duration(rank.elapsed_ns) : "";
  text += style.heading("strata top") + ' ' + shortened(rank.name, style.width - 11) + '\n';
  field("run", view.run);
  field("state", state_text(rank) + age, is_alarming(rank));
  field("process", process_text(rank));
  field("dry", rank.dry.empty() ? "" : "no card: " + rank.dry + " stood in for");
  field("step", step_text(rank));
  field("phase", phase_text(rank));
  field("time", time_text(rank));
  field("rate", per_second(rank));
  if (rank.loss) field("loss", fmt::format("{:.4f} at step {}", *rank.loss, rank.loss_step));
  if (rank.thinned_steps > 0)
    field("thinned", fmt::format("{}, the oldest (store.max_mb): their peaks are kept",
                                 counted(rank.thinned_steps, "step", "steps")));
  if (rank.dropped_rows > 0) {
    field("dropped",
          fmt::format("{} that found no room: what is shown may be wrong",
                      counted(rank.dropped_rows, "row", "rows")),
          true);
  }
  if (!rank.problem.empty())
    text += style.alarming("  problem") + '\n' + wrapped(rank.problem, kFieldColumns, style.width);
  return text;
}

std::string rank_table(const TopView& view, const TerminalStyle& style) {
  if (view.ranks.size() < 2) return {};
  constexpr int kFixedColumns = 2 + 5 + 9 + 14 + 11 + 12 + 2;
  const int bar_columns = style.width - kFixedColumns;
  std::uint64_t whole = 1;
  for (const LiveRank& rank : view.ranks) {
    for (const auto& device : rank.devices)
      whole = std::max({whole, device.peak_allocated_bytes, device.capacity_bytes.value_or(0)});
  }
  std::string text = style.heading(fmt::format("  {:>4} {:>8}  {:<12}{:>11}{:>12}", "rank", "step", "phase",
                                               "time", "MiB")) +
                     '\n';
  for (const LiveRank& rank : view.ranks) {
    const auto* const device = rank.devices.empty() ? nullptr : &rank.devices.front();
    const std::uint64_t bytes = device == nullptr ? 0 : device->allocated_bytes;
    const std::string phase = rank.state == LiveState::kRunning ? rank.phase : to_string(rank.state);
    text += fmt::format("  {:>4} {:>8}  {}{:>11}{:>12}  {}\n", rank.rank,
                        rank.step ? thousands(static_cast<std::uint64_t>(*rank.step)) : "", fitted(phase, 12),
                        rank.last_step_ns ? duration(*rank.last_step_ns) : "",
                        mebibytes(static_cast<double>(bytes), 1), bar(bytes, whole, bar_columns));
  }
  return text;
}

}  // namespace

std::string top_screen(const TopView& view, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestScreen)};
  const LiveRank& rank = view.ranks.at(view.detailed);
  std::string text = header(view, rank, style);
  for (std::size_t i = 0; i < rank.devices.size(); ++i) {
    const auto& device = rank.devices[i];
    if (i == 0) {
      text += '\n' + top_memory(device, style);
    } else {
      text += fmt::format("  {} beside it: {} MiB, at most {}\n", device.name,
                          mebibytes(static_cast<double>(device.allocated_bytes), 1),
                          mebibytes(static_cast<double>(device.peak_allocated_bytes), 1));
    }
  }
  const std::string ranks = rank_table(view, style);
  return ranks.empty() ? text : text + '\n' + ranks;
}

std::string top_line(const LiveRank& rank, bool with_rank, int width) {
  std::string text = with_rank ? fmt::format("rank {}  ", rank.rank) : "";
  if (rank.state != LiveState::kRunning) text += state_text(rank) + "  ";
  text += rank.step ? fmt::format("step {}", *rank.step) : "no step yet";
  if (rank.state == LiveState::kRunning && !rank.phase.empty()) text += ' ' + shortened(rank.phase, 12);
  if (rank.last_step_ns) text += "  " + duration(*rank.last_step_ns);
  if (!rank.devices.empty()) {
    const auto& device = rank.devices.front();
    text += fmt::format("  {} MiB, peak {}", mebibytes(static_cast<double>(device.allocated_bytes), 1),
                        mebibytes(static_cast<double>(device.peak_allocated_bytes), 1));
    if (device.reserved_bytes)
      text += fmt::format(", reserved {}", mebibytes(static_cast<double>(*device.reserved_bytes), 1));
  }
  if (rank.loss) text += fmt::format("  loss {:.4f}", *rank.loss);
  if (const std::string rate = per_second(rank); !rate.empty()) text += "  " + rate;
  if (!rank.problem.empty()) text += "  " + rank.problem;
  return shortened(text, width) + '\n';
}

std::string top_end(const std::vector<LiveRank>& ranks) {
  const auto is_over = [](const LiveRank& rank) {
    return rank.state != LiveState::kRunning && rank.state != LiveState::kWaiting;
  };
  if (ranks.empty() || !std::ranges::all_of(ranks, is_over)) return {};
  const auto killed = std::ranges::find(ranks, LiveState::kKilled, &LiveRank::state);
  if (killed != ranks.end()) {
    return fmt::format("the run was killed: process {} of rank {} is gone and did not say why", killed->pid,
                       killed->rank);
  }
  const auto unwritten = std::ranges::find(ranks, LiveState::kUnwritten, &LiveRank::state);
  if (unwritten != ranks.end())
    return fmt::format("nobody on this machine writes the run: its process {} may run on another",
                       unwritten->pid);
  const auto other =
      std::ranges::find_if(ranks, [](const LiveRank& rank) { return rank.end != RunEnd::kDone; });
  const LiveRank& rank = other == ranks.end() ? ranks.front() : *other;
  return fmt::format("the run is over: {}, after {}", end_text(rank),
                     counted(rank.steps_ended, "step", "steps"));
}

}  // namespace strata::report
