// SPDX-License-Identifier: Apache-2.0
#include "host/report/top/top_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

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

}  // namespace

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

}  // namespace strata::report
