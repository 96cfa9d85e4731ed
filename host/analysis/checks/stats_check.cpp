// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/checks/stats_check.hpp"

#include <array>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/steps/scope_levels.hpp"

namespace strata::analysis {
namespace {

struct Counted {
  Measure measure;
  DeviceStatsRow::Count DeviceStatsRow::*count;
  std::string_view now, peak;
};

constexpr std::array<Counted, 3> kCounted{
    {{Measure::kAllocated, &DeviceStatsRow::allocated, "allocated", "peak allocated"},
     {Measure::kReserved, &DeviceStatsRow::reserved, "reserved", "peak reserved"},
     {Measure::kRequested, &DeviceStatsRow::requested, "requested", "peak requested"}}};

}  // namespace

StatsCheck check_stats(const MemoryFacts& facts, const std::vector<DeviceStatsRow>& rows) {
  const LevelLines lines(facts);
  StatsCheck check;
  for (const DeviceStatsRow& row : rows) {
    if (facts.thinned.contains(row.sequence) || facts.thinned.contains(row.reset_sequence)) continue;
    const auto levels = lines.within(row.reset_sequence, row.sequence);
    const auto compare = [&](std::string_view count, std::uint64_t ours, std::uint64_t torchs) {
      ++check.values;
      if (ours == torchs) return;
      ++check.mismatches;
      if (!check.first_mismatch) check.first_mismatch = {row.sequence, count, ours, torchs};
    };
    for (const Counted& counted : kCounted) {
      const auto& of = levels.at(static_cast<std::size_t>(counted.measure));
      const DeviceStatsRow::Count& torchs = row.*counted.count;
      compare(counted.now, of ? of->end_bytes : 0, torchs.bytes);
      compare(counted.peak, of ? of->peak_bytes : 0, torchs.peak_bytes);
    }
  }
  return check;
}

}  // namespace strata::analysis
