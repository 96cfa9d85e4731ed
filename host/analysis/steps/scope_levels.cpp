// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/scope_levels.hpp"

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/memory/timeline.hpp"

namespace strata::analysis {
namespace {

// A device is sampled occasionally, while its segments are known at every event. So its use between two
// samples is that outside of the allocator at the last sample, plus the allocator's reserved memory.
template <typename Add>
void each_device_level(const MemoryFacts& facts, const Add& add) {
  const std::vector<DeviceSample>& samples = facts.samples.device;
  if (samples.empty()) return;
  std::int64_t outside = samples.front().outside_bytes();
  auto sample = samples.begin();
  const auto add_samples_before = [&](std::uint64_t sequence) {
    for (; sample != samples.end() && sample->sequence < sequence; ++sample) {
      outside = sample->outside_bytes();
      add(sample->sequence, sample->ns, sample->used_bytes);
    }
  };
  for (const ReservedPoint& point : facts.reserved) {
    add_samples_before(point.sequence);
    const std::int64_t used = outside + static_cast<std::int64_t>(point.bytes);
    add(point.sequence, point.ns, static_cast<std::uint64_t>(std::max<std::int64_t>(used, 0)));
  }
  add_samples_before(UINT64_MAX);
}

// As in DeviceStats: a block that a stream still uses is not freed.
template <typename Add>
void each_requested_level(const MemoryFacts& facts, const Add& add) {
  std::uint64_t alive = 0, waiting = 0;
  auto deferred = facts.samples.deferred.begin();
  const auto add_deferred_before = [&](std::uint64_t sequence) {
    for (; deferred != facts.samples.deferred.end() && deferred->sequence < sequence; ++deferred) {
      waiting = deferred->requested_bytes;
      add(deferred->sequence, deferred->ns, alive + waiting);
    }
  };
  for (const Point& point : facts.points) {
    add_deferred_before(point.sequence);
    alive = allocated_bytes(point) - point.rounding_bytes;
    add(point.sequence, point.ns, alive + waiting);
  }
  add_deferred_before(UINT64_MAX);
}

// For `moments`, by sequence, each with bytes that hold until the next.
template <typename Moment, typename Bytes>
std::optional<ScopeLevels> levels_within(const std::vector<Moment>& moments, const Bytes& bytes_of,
                                         std::uint64_t begin_sequence, std::uint64_t end_sequence) {
  if (moments.empty()) return std::nullopt;
  const Moment* const begin = last_at(moments, begin_sequence);
  ScopeLevels levels;
  if (begin != nullptr) {
    const std::uint64_t bytes = bytes_of(*begin);
    levels = {bytes, bytes, bytes, begin->ns};
  }
  const auto first = begin == nullptr ? moments.begin() : moments.begin() + (begin - moments.data()) + 1;
  for (auto moment = first; moment != moments.end() && moment->sequence <= end_sequence; ++moment) {
    levels.end_bytes = bytes_of(*moment);
    if (levels.end_bytes > levels.peak_bytes || !levels.peak_ns) {
      levels.peak_bytes = levels.end_bytes;
      levels.peak_ns = moment->ns;
    }
  }
  return levels;
}

constexpr auto kBytes = [](const auto& moment) { return moment.bytes; };

}  // namespace

LevelLines::LevelLines(const MemoryFacts& facts) : facts_(facts) {
  const auto add_to = [](Line& line) {
    return [&line](std::uint64_t sequence, std::int64_t ns, std::uint64_t bytes) {
      line.push_back({sequence, ns, bytes});
    };
  };
  each_device_level(facts, add_to(device_used_));
  if (!facts.samples.deferred.empty()) each_requested_level(facts, add_to(requested_));
  for (const ResidentSample& sample : facts.samples.resident) {
    const std::uint64_t known = resident_peaks_.empty() ? 0 : resident_peaks_.back().bytes;
    resident_peaks_.push_back({sample.sequence, sample.ns, std::max(known, sample.peak_bytes)});
  }
}

// If the operating system's own peak grew in the interval, it is more precise than the samples.
std::optional<ScopeLevels> LevelLines::resident_within(std::uint64_t begin_sequence,
                                                       std::uint64_t end_sequence) const {
  auto levels = levels_within(facts_.samples.resident, kBytes, begin_sequence, end_sequence);
  if (!levels) return levels;
  const auto known = [&](std::uint64_t sequence) {
    const Level* const peak = last_at(resident_peaks_, sequence);
    return peak == nullptr ? 0 : peak->bytes;
  };
  const std::uint64_t at_end = known(end_sequence);
  if (at_end > known(begin_sequence) && at_end > levels->peak_bytes) {
    levels->peak_bytes = at_end;
    levels->peak_ns = std::nullopt;
  }
  return levels;
}

std::array<std::optional<ScopeLevels>, kMeasures> LevelLines::within(std::uint64_t begin_sequence,
                                                                     std::uint64_t end_sequence) const {
  const auto of = [&](const auto& moments, const auto& bytes_of) {
    return levels_within(moments, bytes_of, begin_sequence, end_sequence);
  };
  const auto requested = [](const Point& point) { return allocated_bytes(point) - point.rounding_bytes; };
  std::array<std::optional<ScopeLevels>, kMeasures> levels;
  const auto set = [&](Measure measure, std::optional<ScopeLevels> value) {
    levels.at(static_cast<std::size_t>(measure)) = value;
  };
  set(Measure::kDeviceUsed, of(device_used_, kBytes));
  set(Measure::kAllocated, of(facts_.points, [](const Point& point) { return allocated_bytes(point); }));
  set(Measure::kReserved, facts_.reserved.empty() ? levels.at(static_cast<std::size_t>(Measure::kAllocated))
                                                  : of(facts_.reserved, kBytes));
  set(Measure::kRequested, requested_.empty() ? of(facts_.points, requested) : of(requested_, kBytes));
  set(Measure::kResident, resident_within(begin_sequence, end_sequence));
  return levels;
}

std::optional<std::uint64_t> LevelLines::device_used_at(std::uint64_t sequence) const {
  const auto levels = levels_within(device_used_, kBytes, sequence, sequence);
  return levels ? std::optional(levels->begin_bytes) : std::nullopt;
}

}  // namespace strata::analysis
