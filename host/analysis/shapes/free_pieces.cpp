// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/free_pieces.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "host/analysis/shapes/block_events.hpp"

namespace strata::analysis {
namespace {

// c10's kSmallBuffer: what blocks of up to 1 MiB lie in.
constexpr std::uint64_t kSmallSegmentBytes = 2097152;

// Bytes in use, and the most of them since the last release.
struct UseLevel {
  std::uint64_t now = 0, most = 0;

  void add(std::uint64_t bytes) {
    now += bytes;
    most = std::max(most, now);
  }
  void remove(std::uint64_t bytes) { now -= std::min(now, bytes); }
  void forget() { most = now; }
};

// Of one stream and pool.
struct PlaceLevels {
  std::uint64_t held = 0;  // by large segments
  UseLevel used;           // allocated, or freed but still used by a stream
};

struct PieceSegment {
  std::uint64_t bytes = 0;
  Place place;
};

struct PieceUse {
  std::uint64_t bytes = 0;
  Place place;
};

// Follows large segments and the blocks in them. A block of several mapped pieces is where its begin is.
class ReservedSweep {
 public:
  void change(const ReservedPoint& point) {
    if (const auto gone = segments_.find(point.segment_address); gone != segments_.end()) {
      if (is_large(gone->second.bytes)) release(gone->second);
      segments_.erase(gone);
    }
    if (point.change_bytes <= 0) return;
    const PieceSegment taken{static_cast<std::uint64_t>(point.change_bytes), point.place};
    segments_[point.segment_address] = taken;
    if (!is_large(taken.bytes)) return;
    places_[taken.place].held += taken.bytes;
    held_ += taken.bytes;
  }

  void birth(const Block& block) {
    const PieceSegment* const segment = segment_of(block.address);
    if (segment == nullptr) return;
    alive_[block.address] = {block.bytes, segment->place};
    allocated_.add(block.bytes);
    use(segment->place, block.bytes);
  }

  void death(const Block& block) {
    const auto alive = alive_.find(block.address);
    if (alive == alive_.end()) return;
    allocated_.remove(alive->second.bytes);
    end_use(alive->second);
    alive_.erase(alive);
  }

  void defer(const Block& block) {
    const auto alive = alive_.find(block.address);
    if (alive == alive_.end()) return;
    allocated_.remove(alive->second.bytes);
    deferred_bytes_.add(alive->second.bytes);
    deferred_[block.address] = alive->second;
    alive_.erase(alive);
  }

  void complete(std::uint64_t address) {
    const auto over = deferred_.find(address);
    if (over == deferred_.end()) return;
    deferred_bytes_.remove(over->second.bytes);
    end_use(over->second);
    deferred_.erase(over);
  }

  std::uint64_t free_in(const Place& place) const {
    const auto found = places_.find(place);
    if (found == places_.end()) return 0;
    const PlaceLevels& levels = found->second;
    return levels.held - std::min(levels.held, levels.used.now);
  }

  std::uint64_t held() const { return held_; }

  // Of what is reserved now.
  UnusedReserved unused(const ReservedPoint& last) const {
    std::uint64_t of_places = 0, of_pools = 0;
    UnusedReserved unused{.sequence = last.sequence,
                          .ns = last.ns,
                          .reserved_bytes = last.bytes,
                          .most_deferred_bytes = deferred_bytes_.most};
    for (const auto& [place, levels] : places_) {
      of_places += levels.used.most;
      if (levels.held > 0 && place.pool == 0) ++unused.streams;
    }
    for (const auto& [pool, level] : pools_) {
      of_pools += level.most;
      if (pool != 0 && level.most > 0) ++unused.pools;
    }
    unused.pieces_bytes = held_ - std::min(held_, of_places);
    unused.streams_bytes = of_places - of_pools;
    unused.pools_bytes = of_pools - used_.most;
    unused.deferred_bytes = used_.most - allocated_.most;
    return unused;
  }

 private:
  static bool is_large(std::uint64_t bytes) { return bytes > kSmallSegmentBytes; }

  // Null for a small one.
  const PieceSegment* segment_of(std::uint64_t address) const {
    const auto next = segments_.upper_bound(address);
    if (next == segments_.begin()) return nullptr;
    const auto& [begin, segment] = *std::prev(next);
    return is_large(segment.bytes) && address < begin + segment.bytes ? &segment : nullptr;
  }

  void use(const Place& place, std::uint64_t bytes) {
    places_[place].used.add(bytes);
    pools_[place.pool].add(bytes);
    used_.add(bytes);
  }

  void end_use(const PieceUse& use) {
    places_[use.place].used.remove(use.bytes);
    pools_[use.place.pool].remove(use.bytes);
    used_.remove(use.bytes);
  }

  // The allocator frees whole segments when its cache is emptied, so nothing that was needed before remains.
  void release(const PieceSegment& segment) {
    PlaceLevels& levels = places_[segment.place];
    levels.held -= segment.bytes;
    held_ -= segment.bytes;
    for (UseLevel* const level :
         {&levels.used, &pools_[segment.place.pool], &used_, &allocated_, &deferred_bytes_})
      level->forget();
  }

  std::map<std::uint64_t, PieceSegment> segments_;                // by address
  std::unordered_map<std::uint64_t, PieceUse> alive_, deferred_;  // blocks in large segments, by address
  std::map<Place, PlaceLevels> places_;
  std::map<std::uint64_t, UseLevel> pools_;
  UseLevel used_, allocated_, deferred_bytes_;
  std::uint64_t held_ = 0;
};

}  // namespace

ReservedMemory reserved_memory(const MemoryFacts& facts) {
  ReservedMemory memory;
  const auto is_sum_only = [](const ReservedPoint& point) { return point.segment_address == kNoSegment; };
  if (facts.reserved.empty() || std::ranges::any_of(facts.reserved, is_sum_only)) return memory;
  ReservedSweep sweep;
  BlockEvents events(facts);
  std::uint64_t most_held = 0;
  const ReservedPoint* most = nullptr;  // the first at which that much was held
  // What a segment was taken for is allocated after it, so each state is looked at when the next one begins.
  const auto look_at = [&](const ReservedPoint& point) {
    if (sweep.held() < most_held || sweep.held() == 0) return;
    if (sweep.held() > most_held) most = &point;
    most_held = sweep.held();
    memory.unused = sweep.unused(*most);
  };
  const ReservedPoint* last = nullptr;
  for (const ReservedPoint& point : facts.reserved) {
    events.advance_to(point.sequence, sweep);
    if (last != nullptr) look_at(*last);
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(point.change_bytes, 0));
    if (bytes > kSmallSegmentBytes)
      memory.taken.push_back({point.sequence, point.ns, bytes, sweep.free_in(point.place), point.bytes});
    sweep.change(point);
    last = &point;
  }
  events.advance_to(UINT64_MAX, sweep);
  look_at(*last);
  return memory;
}

}  // namespace strata::analysis
