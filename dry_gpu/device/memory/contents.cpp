// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/contents.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace strata::dry_gpu {
namespace {

// For a program that uploads without ever launching anything: known contents are dropped before they take
// more host memory than this.
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostPieces = std::size_t{1} << 16;

constexpr std::uint64_t kSmallBlockBytes = 4096;
constexpr std::uint64_t kNumberBytes = 8;

}  // namespace

void Contents::keep(Address address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (bytes.size() > most_bytes_.load(std::memory_order_relaxed)) return forget(address, bytes.size());
  auto kept = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  const std::scoped_lock lock(mutex_);
  drop_written();
  if (kept_bytes_ + bytes.size() > kMostKeptBytes) drop_all();
  kept_bytes_ += bytes.size();
  enter(address, {address + bytes.size(), std::move(kept), 0, {}});
}

void Contents::fill(Address address, std::uint64_t bytes, std::byte value) {
  if (bytes == 0 || most_bytes_.load(std::memory_order_relaxed) == 0) return;
  const std::scoped_lock lock(mutex_);
  drop_written();
  enter(address, {address + bytes, nullptr, 0, value});
}

void Contents::copy(Address target, Address source, std::uint64_t bytes) {
  if (bytes == 0 || is_empty_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(mutex_);
  drop_written();
  std::vector<std::pair<Address, Pieces::Piece>> known;
  for (const Pieces* const pieces : {&passing_, &lasting_}) {
    pieces->visit(
        source, bytes, [&](Address begin, Address end, const Pieces::Piece& piece, std::uint64_t offset) {
          known.emplace_back(begin - source + target,
                             Pieces::Piece{end - source + target, piece.bytes, offset, piece.value});
        });
  }
  erase(target, target + bytes);
  for (auto& [begin, piece] : known) enter(begin, std::move(piece));
}

void Contents::forget(Address address, std::uint64_t bytes) {
  if (is_empty_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(mutex_);
  drop_written();
  erase(address, address + bytes);
}

void Contents::forget_all() {
  if (is_empty_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(mutex_);
  drop_all();
}

void Contents::keep_nothing() {
  const std::scoped_lock lock(mutex_);
  most_bytes_ = 0;
  drop_all();
}

void Contents::add_block(Address address, std::uint64_t bytes) {
  if (bytes > kSmallBlockBytes || most_bytes_.load(std::memory_order_relaxed) == 0) return;
  const std::scoped_lock lock(mutex_);
  blocks_.insert_or_assign(address, address + bytes);
}

void Contents::remove_block(Address address, std::uint64_t bytes) {
  if (bytes > kSmallBlockBytes || most_bytes_.load(std::memory_order_relaxed) == 0) return;
  const std::scoped_lock lock(mutex_);
  if (blocks_.erase(address) == 0 || lasting_.empty()) return;
  lasting_.erase(address, address + bytes);
  note_size();
}

void Contents::follow(const KernelEffect& effect) {
  const std::scoped_lock lock(mutex_);
  drop_written();
  std::vector<std::pair<Address, std::vector<std::byte>>> results;
  for (const KernelEffect::Result& each : effect.results) {
    std::vector<std::byte> operand(each.source_bytes);
    if (each.source_bytes > kSmallBlockBytes || read_known(each.source, operand) != 0) continue;
    if (auto bytes = compute(*effect.computation, operand, each.elements))
      results.emplace_back(each.target, std::move(*bytes));
  }
  for (const Address address : effect.written) erase_block(address, 0);
  for (const Address address : effect.perhaps_written) erase_block(address, kNumberBytes);
  for (auto& [target, bytes] : results) {
    const Address end = target + bytes.size();
    enter(target, {end, std::make_shared<const std::vector<std::byte>>(std::move(bytes)), 0, {}});
  }
  ++followed_;
}

void Contents::follow_calls(std::uint64_t calls) {
  const std::scoped_lock lock(mutex_);
  drop_written();
  followed_calls_ += calls;
}

void Contents::forget_block(Address address) {
  if (!has_lasting()) return;
  const std::scoped_lock lock(mutex_);
  erase_block(address, 0);
}

std::uint64_t Contents::read(Address address, std::span<std::byte> target) {
  std::ranges::fill(target, std::byte{0});
  if (is_empty_.load(std::memory_order_relaxed)) return target.size();
  const std::scoped_lock lock(mutex_);
  drop_written();
  return read_known(address, target);
}

std::uint64_t Contents::read_known(Address address, std::span<std::byte> target) const {
  std::uint64_t unknown = target.size();
  for (const Pieces* const pieces : {&passing_, &lasting_}) {
    pieces->visit(address, target.size(),
                  [&](Address begin, Address end, const Pieces::Piece& piece, std::uint64_t offset) {
                    const auto place = target.subspan(begin - address, end - begin);
                    unknown -= place.size();
                    if (piece.bytes) {
                      std::memcpy(place.data(), piece.bytes->data() + offset, place.size());
                    } else {
                      std::ranges::fill(place, piece.value);
                    }
                  });
  }
  return unknown;
}

bool Contents::is_known(Address address, std::uint64_t bytes) {
  if (is_empty_.load(std::memory_order_relaxed)) return bytes == 0;
  const std::scoped_lock lock(mutex_);
  drop_written();
  for (const Pieces* const pieces : {&passing_, &lasting_}) {
    pieces->visit(address, bytes, [&](Address begin, Address end, const Pieces::Piece&, std::uint64_t) {
      bytes -= end - begin;
    });
  }
  return bytes == 0;
}

void Contents::drop_written() {
  const std::uint64_t launches = counts_.launches.total(), library_calls = counts_.library_calls.total();
  const bool were_followed = launches - launches_ == followed_;
  if (were_followed && followed_ == 0 && library_calls == library_calls_) return;
  const bool were_libraries = library_calls - library_calls_ != followed_calls_;
  launches_ = launches;
  library_calls_ = library_calls;
  followed_ = followed_calls_ = 0;
  if (!were_followed) return drop_all();
  passing_.clear();
  kept_bytes_ = 0;
  if (were_libraries) lasting_.erase_longer_than(kNumberBytes);
  note_size();
}

void Contents::drop_all() {
  passing_.clear();
  lasting_.clear();
  kept_bytes_ = 0;
  note_size();
}

void Contents::note_size() {
  has_lasting_.store(!lasting_.empty(), std::memory_order_relaxed);
  is_empty_.store(passing_.empty() && lasting_.empty(), std::memory_order_relaxed);
}

void Contents::erase(Address begin, Address end) {
  passing_.erase(begin, end);
  lasting_.erase(begin, end);
  note_size();
}

void Contents::enter(Address begin, Pieces::Piece piece) {
  if (most_bytes_.load(std::memory_order_relaxed) == 0) return;
  if (passing_.size() + lasting_.size() >= kMostPieces) drop_all();
  erase(begin, piece.end);
  const auto block = block_of(begin);
  const bool lasts = block != blocks_.end() && piece.end <= block->second;
  (lasts ? lasting_ : passing_).enter(begin, std::move(piece));
  note_size();
}

std::map<Address, Address>::const_iterator Contents::block_of(Address address) const {
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return blocks_.end();
  const auto block = std::prev(after);
  return address < block->second ? block : blocks_.end();
}

void Contents::erase_block(Address address, std::uint64_t longer_than) {
  const auto block = block_of(address);
  if (block == blocks_.end()) return;
  std::uint64_t longest = 0;
  lasting_.visit(block->first, block->second - block->first,
                 [&](Address begin, Address end, const Pieces::Piece&, std::uint64_t) {
                   longest = std::max(longest, end - begin);
                 });
  if (longest > longer_than) erase(block->first, block->second);
}

}  // namespace strata::dry_gpu
