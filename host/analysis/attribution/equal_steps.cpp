// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/equal_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/analysis/attribution/blocks.hpp"
#include "strata/ext/memory.h"
#include "strata/ext/tensor.h"

namespace strata::analysis {
namespace {

using Events = std::span<MemoryRow>;

// Whether most of its allocations have one. A step can begin within an operator, which then belongs to the
// step before or after it, whether that records operators or not.
bool has_operators(Events events) {
  std::size_t with = 0, without = 0;
  for (const MemoryRow& event : events) {
    if (event.action == STRATA_MEMORY_ALLOCATE) ++(event.op != 0 ? with : without);
  }
  return with > without;
}

class StepPaths {
 public:
  explicit StepPaths(const std::vector<PhaseRow>& phases) {
    for (const PhaseRow& phase : phases) kinds_.emplace(phase.ordinal, phase.kind);
  }

  bool same(Events left, Events right, bool sizes) const {
    return left.size() == right.size() && common(left, right, sizes) == left.size();
  }

  // The number of events, from the first, that are the same.
  std::size_t common(Events left, Events right, bool sizes) const {
    const auto first_other =
        std::ranges::mismatch(left, right, [&](const MemoryRow& one, const MemoryRow& other) {
          return one.action == other.action && kind(one) == kind(other) &&
                 (!sizes || one.bytes == other.bytes);
        });
    return static_cast<std::size_t>(first_other.in1 - left.begin());
  }

  // Equal for steps that are the same.
  std::uint64_t hash(Events events, bool sizes) const {
    std::uint64_t hash = events.size();
    for (const MemoryRow& event : events) {
      hash = (hash ^ event.action ^ (std::uint64_t{kind(event)} << 32)) * 0x9E3779B97F4A7C15u;
      if (sizes) hash = (hash ^ event.bytes) * 0xC2B2AE3D27D4EB4Fu;
      hash ^= hash >> 29;
    }
    return hash;
  }

 private:
  std::uint32_t kind(const MemoryRow& event) const {
    const auto found = kinds_.find(event.phase);
    return found == kinds_.end() ? 0 : found->second + 1;
  }

  std::unordered_map<std::uint32_t, std::uint32_t> kinds_;  // of phases, by ordinal
};

// A copy that autocast or the program made in a step of a tensor that is older, or of one made in the step.
struct CastInStep {
  std::size_t event = 0;  // that made the copy
  std::optional<std::size_t> source_event;
  TensorRow row;
};

// By sequence, as all of `tensors` are.
std::vector<CastInStep> casts_of(Events events, std::span<const TensorRow> tensors) {
  std::vector<CastInStep> casts;
  std::unordered_map<std::uint64_t, std::size_t> made;  // by address: the event
  std::size_t next = 0;
  const auto first = std::ranges::lower_bound(tensors, events.front().sequence, {}, &TensorRow::sequence);
  for (auto tensor = first; tensor != tensors.end() && tensor->sequence <= events.back().sequence; ++tensor) {
    if (tensor->role != STRATA_TENSOR_AUTOCAST_COPY && !is_program_copy(tensor->role)) continue;
    for (; next < events.size() && events[next].sequence < tensor->sequence; ++next) {
      if (events[next].action == STRATA_MEMORY_ALLOCATE) made[events[next].address] = next;
    }
    const auto copy = made.find(tensor->address), source = made.find(tensor->owner_address);
    if (copy == made.end()) continue;
    casts.push_back(
        {copy->second, source == made.end() ? std::nullopt : std::optional(source->second), *tensor});
  }
  return casts;
}

// The steps with operators, by what they do; of equal ones the first.
class Patterns {
 public:
  Patterns(const StepPaths& paths, bool sizes) : paths_(paths), sizes_(sizes) {}

  void add(Events events) { known_.emplace(paths_.hash(events, sizes_), events); }

  // A step that does the same; empty if there is none.
  Events find(Events events) const {
    const auto found = known_.find(paths_.hash(events, sizes_));
    return found != known_.end() && paths_.same(found->second, events, sizes_) ? found->second : Events();
  }

  // The longest begin of a step that `events` begins with, too.
  Events find_begin(Events events) const {
    Events longest;
    for (const auto& [hash, known] : known_) {
      const std::size_t common = paths_.common(known, events, sizes_);
      if (common > longest.size()) longest = known.first(common);
    }
    return longest;
  }

 private:
  const StepPaths& paths_;
  bool sizes_;
  std::unordered_map<std::uint64_t, Events> known_;
};

class Sharing {
 public:
  explicit Sharing(Recording& run) : run_(run) {}

  // `from`: a step that does what `to` does, or the begin of one.
  void share(Events from, Events to) {
    for (std::size_t index = 0; index < from.size(); ++index) {
      if (to[index].op == 0) to[index].op = from[index].op;
    }
    const auto [casts, is_new] = casts_.try_emplace({from.data(), from.size()});
    if (is_new) casts->second = casts_of(from, run_.tensors);
    for (const CastInStep& cast : casts->second) {
      TensorRow row = cast.row;
      row.sequence = to[cast.event].sequence;
      row.address = to[cast.event].address;
      if (cast.source_event) row.owner_address = to[*cast.source_event].address;
      added_.push_back(row);
    }
  }

  void end() {
    if (added_.empty()) return;
    run_.tensors.insert(run_.tensors.end(), added_.begin(), added_.end());
    std::ranges::stable_sort(run_.tensors, {}, &TensorRow::sequence);
  }

 private:
  Recording& run_;
  std::map<std::pair<const MemoryRow*, std::size_t>, std::vector<CastInStep>> casts_;  // by the events
  std::vector<TensorRow> added_;
};

}  // namespace

StepDetail share_operators_of_equal_steps(Recording& run) {
  StepDetail detail;
  std::vector<Events> with, without;
  for (const StepRow& step : run.steps) {
    const auto begin = std::ranges::lower_bound(run.memory, step.begin_sequence, {}, &MemoryRow::sequence);
    const auto end =
        std::ranges::lower_bound(begin, run.memory.end(), step.end_sequence, {}, &MemoryRow::sequence);
    if (begin == end) continue;
    const Events events(begin, end);
    (has_operators(events) ? with : without).push_back(events);
  }
  detail.recorded = with.size();
  detail.without = without.size();
  if (with.empty() || without.empty()) return detail;
  const StepPaths paths(run.phases);
  Patterns of_same_sizes(paths, true), of_any_sizes(paths, false);
  for (const Events events : with) {
    of_same_sizes.add(events);
    of_any_sizes.add(events);
  }
  Sharing sharing(run);
  for (const Events events : without) {
    Events same = of_same_sizes.find(events);
    if (same.empty()) same = of_any_sizes.find(events);
    if (same.empty()) same = of_same_sizes.find_begin(events);
    if (same.empty()) continue;
    sharing.share(same, events);
    if (!has_operators(events)) continue;
    ++detail.named;
    --detail.without;
  }
  sharing.end();
  return detail;
}

}  // namespace strata::analysis
