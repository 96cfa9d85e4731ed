// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/expandable_segments.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "host/analysis/shapes/block_events.hpp"

namespace strata::analysis {
namespace {

// c10's kMinBlockSize, kSmallSize, kSmallBuffer and kLargeBuffer.
constexpr std::uint64_t kBlockUnit = 512, kSmallBytes = 1048576;
constexpr std::uint64_t kSmallUnit = 2097152, kLargeUnit = 20971520;
// More than any card has.
constexpr std::uint64_t kAddressSpace = std::uint64_t{1} << 50;

enum class PieceState : std::uint8_t { kUsed, kFree, kUnmapped };

struct ArenaPiece {
  std::uint64_t bytes = 0;
  PieceState state = PieceState::kUnmapped;
};

// The one segment of a place's small or large blocks, which grows by whole units.
class Arena {
 public:
  explicit Arena(std::uint64_t unit) : unit_(unit) { pieces_[0] = {kAddressSpace, PieceState::kUnmapped}; }

  std::uint64_t mapped_bytes() const { return mapped_bytes_; }

  // Returns where the block begins.
  std::uint64_t allocate(std::uint64_t bytes) {
    const std::uint64_t begin = best_fit(bytes).value_or(kAddressSpace);
    const auto piece = pieces_.find(begin == kAddressSpace ? grow(bytes) : begin);
    erase_free(piece);
    if (piece->second.bytes > bytes) {
      const std::uint64_t rest = piece->first + bytes;
      pieces_[rest] = {piece->second.bytes - bytes, PieceState::kFree};
      free_.emplace(pieces_[rest].bytes, rest);
      piece->second.bytes = bytes;
    }
    piece->second.state = PieceState::kUsed;
    return piece->first;
  }

  void free(std::uint64_t begin) {
    const auto piece = pieces_.find(begin);
    piece->second.state = PieceState::kFree;
    free_.emplace(piece->second.bytes, piece->first);
    join(piece);
  }

  // As empty_cache does: all units that no block reaches into.
  void release() {
    const std::set<std::pair<std::uint64_t, std::uint64_t>> all = free_;
    for (const auto& [bytes, begin] : all) {
      const std::uint64_t first = (begin + unit_ - 1) / unit_ * unit_, last = (begin + bytes) / unit_ * unit_;
      if (first >= last) continue;
      free_.erase({bytes, begin});
      pieces_.erase(begin);
      if (first > begin) put_free(begin, first - begin);
      pieces_[first] = {last - first, PieceState::kUnmapped};
      if (begin + bytes > last) put_free(last, begin + bytes - last);
      mapped_bytes_ -= last - first;
      join(pieces_.find(first));
    }
  }

 private:
  using Pieces = std::map<std::uint64_t, ArenaPiece>;

  void put_free(std::uint64_t begin, std::uint64_t bytes) {
    pieces_[begin] = {bytes, PieceState::kFree};
    free_.emplace(bytes, begin);
  }

  void erase_free(Pieces::iterator piece) { free_.erase({piece->second.bytes, piece->first}); }

  // What a free piece could grow to.
  std::uint64_t room_of(std::uint64_t begin) const {
    const auto piece = pieces_.find(begin);
    const auto next = std::next(piece);
    const bool grows = next != pieces_.end() && next->second.state == PieceState::kUnmapped;
    return piece->second.bytes + (grows ? next->second.bytes : 0);
  }

  // The smallest free piece, but rather a larger one than one that can grow.
  std::optional<std::uint64_t> best_fit(std::uint64_t bytes) const {
    auto fit = free_.lower_bound({bytes, 0});
    if (fit == free_.end()) return std::nullopt;
    for (auto next = std::next(fit); next != free_.end() && room_of(next->second) < room_of(fit->second);
         ++next)
      fit = next;
    return fit->second;
  }

  // Maps units from the first place on that has room, with the free piece before it. Returns where it begins.
  std::uint64_t grow(std::uint64_t bytes) {
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
      if (piece->second.state != PieceState::kUnmapped) continue;
      auto begin = piece;
      if (begin != pieces_.begin() && std::prev(begin)->second.state == PieceState::kFree) --begin;
      std::uint64_t room = 0;
      for (auto each = begin; each != pieces_.end() && each->second.state != PieceState::kUsed; ++each)
        room += each->second.bytes;
      if (room >= bytes) return map(begin, bytes);
    }
    return 0;
  }

  std::uint64_t map(Pieces::iterator piece, std::uint64_t bytes) {
    const std::uint64_t begin = piece->first, end = begin + bytes;
    while (piece != pieces_.end() && piece->first < end) {
      if (piece->second.state == PieceState::kUnmapped) {
        const std::uint64_t wanted =
            (std::min(end - piece->first, piece->second.bytes) + unit_ - 1) / unit_ * unit_;
        const std::uint64_t mapped = std::min(wanted, piece->second.bytes);
        if (mapped < piece->second.bytes)
          pieces_[piece->first + mapped] = {piece->second.bytes - mapped, PieceState::kUnmapped};
        mapped_bytes_ += mapped;
        piece->second = {mapped, PieceState::kFree};
        free_.emplace(mapped, piece->first);
        piece = join(piece);
      }
      ++piece;
    }
    return begin;
  }

  // With its neighbours of the same state. Returns the whole piece.
  Pieces::iterator join(Pieces::iterator piece) {
    if (piece != pieces_.begin() && std::prev(piece)->second.state == piece->second.state)
      piece = join_next(std::prev(piece));
    if (std::next(piece) != pieces_.end() && std::next(piece)->second.state == piece->second.state)
      piece = join_next(piece);
    return piece;
  }

  Pieces::iterator join_next(Pieces::iterator piece) {
    const auto next = std::next(piece);
    const bool is_free = piece->second.state == PieceState::kFree;
    if (is_free) {
      erase_free(piece);
      erase_free(next);
    }
    piece->second.bytes += next->second.bytes;
    pieces_.erase(next);
    if (is_free) free_.emplace(piece->second.bytes, piece->first);
    return piece;
  }

  std::uint64_t unit_, mapped_bytes_ = 0;
  Pieces pieces_;                                           // by begin, without gaps
  std::set<std::pair<std::uint64_t, std::uint64_t>> free_;  // bytes and begin
};

class ExpandableAllocator {
 public:
  explicit ExpandableAllocator(const MemoryFacts& facts) : facts_(facts) {}

  std::uint64_t most_bytes() const { return most_bytes_; }

  void birth(const Block& block) {
    death(block);  // in a damaged run, an address may be born twice
    const std::uint64_t asked = block.bytes - std::min(block.bytes, block.rounding_bytes);
    const std::uint64_t bytes = std::max(kBlockUnit, (asked + kBlockUnit - 1) / kBlockUnit * kBlockUnit);
    const bool is_small = bytes <= kSmallBytes;
    const auto [arena, is_new] =
        arenas_.try_emplace({facts_.block_places[block.place], is_small}, is_small ? kSmallUnit : kLargeUnit);
    mapped_bytes_ -= arena->second.mapped_bytes();
    alive_[block.address] = {&arena->second, arena->second.allocate(bytes)};
    mapped_bytes_ += arena->second.mapped_bytes();
    most_bytes_ = std::max(most_bytes_, mapped_bytes_);
  }

  void death(const Block& block) { complete(block.address); }
  void defer(const Block& /*block*/) {}

  void complete(std::uint64_t address) {
    const auto alive = alive_.find(address);
    if (alive == alive_.end()) return;
    alive->second.arena->free(alive->second.begin);
    alive_.erase(alive);
  }

  void release() {
    mapped_bytes_ = 0;
    for (auto& [unused, arena] : arenas_) {
      arena.release();
      mapped_bytes_ += arena.mapped_bytes();
    }
  }

 private:
  struct Alive {
    Arena* arena = nullptr;
    std::uint64_t begin = 0;
  };

  const MemoryFacts& facts_;
  std::map<std::pair<Place, bool>, Arena> arenas_;
  std::unordered_map<std::uint64_t, Alive> alive_;  // by recorded address
  std::uint64_t mapped_bytes_ = 0, most_bytes_ = 0;
};

}  // namespace

std::uint64_t most_reserved_if_expandable(const MemoryFacts& facts) {
  ExpandableAllocator allocator(facts);
  BlockEvents events(facts);
  bool is_releasing = false;
  for (const ReservedPoint& point : facts.reserved) {
    events.advance_to(point.sequence, allocator);
    if (point.change_bytes < 0 && !is_releasing) allocator.release();
    is_releasing = point.change_bytes < 0;
  }
  events.advance_to(UINT64_MAX, allocator);
  return allocator.most_bytes();
}

}  // namespace strata::analysis
