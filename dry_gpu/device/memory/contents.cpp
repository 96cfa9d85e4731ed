// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/contents.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace strata::dry_gpu {
namespace {

// For a program that uploads without ever launching anything: known contents are dropped before they take
// more host memory than this.
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostPieces = std::size_t{1} << 16;

}  // namespace

template <typename Visit>
void Contents::visit_known(Address address, std::uint64_t bytes, Visit&& visit) const {
  auto each = pieces_.upper_bound(address);
  if (each != pieces_.begin()) --each;
  for (; each != pieces_.end() && each->first < address + bytes; ++each) {
    const Address begin = std::max(each->first, address);
    const Address end = std::min(each->second.end, address + bytes);
    if (begin < end) visit(begin, end, each->second, each->second.offset + (begin - each->first));
  }
}

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
  std::vector<std::pair<Address, Piece>> known;
  visit_known(source, bytes, [&](Address begin, Address end, const Piece& piece, std::uint64_t offset) {
    known.emplace_back(begin - source + target,
                       Piece{end - source + target, piece.bytes, offset, piece.value});
  });
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

std::uint64_t Contents::read(Address address, std::span<std::byte> target) const {
  std::ranges::fill(target, std::byte{0});
  if (is_empty_.load(std::memory_order_relaxed)) return target.size();
  const std::scoped_lock lock(mutex_);
  if (work() != work_) return target.size();
  std::uint64_t unknown = target.size();
  visit_known(address, target.size(),
              [&](Address begin, Address end, const Piece& piece, std::uint64_t offset) {
                const auto place = target.subspan(begin - address, end - begin);
                unknown -= place.size();
                if (piece.bytes) {
                  std::memcpy(place.data(), piece.bytes->data() + offset, place.size());
                } else {
                  std::ranges::fill(place, piece.value);
                }
              });
  return unknown;
}

bool Contents::is_known(Address address, std::uint64_t bytes) const {
  if (is_empty_.load(std::memory_order_relaxed)) return bytes == 0;
  const std::scoped_lock lock(mutex_);
  if (work() != work_) return bytes == 0;
  visit_known(address, bytes,
              [&](Address begin, Address end, const Piece&, std::uint64_t) { bytes -= end - begin; });
  return bytes == 0;
}

void Contents::drop_written() {
  const std::uint64_t now = work();
  if (now == work_) return;
  drop_all();
  work_ = now;
}

void Contents::drop_all() {
  pieces_.clear();
  kept_bytes_ = 0;
  is_empty_.store(true, std::memory_order_relaxed);
}

// Makes two pieces of one that lies across the address.
void Contents::cut(Address address) {
  const auto after = pieces_.lower_bound(address);
  if (after == pieces_.begin()) return;
  const auto before = std::prev(after);
  if (before->second.end <= address) return;
  Piece rest = before->second;
  rest.offset += address - before->first;
  before->second.end = address;
  pieces_.emplace_hint(after, address, std::move(rest));
}

void Contents::erase(Address begin, Address end) {
  cut(begin);
  cut(end);
  pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(end));
}

void Contents::enter(Address begin, Piece piece) {
  if (most_bytes_.load(std::memory_order_relaxed) == 0) return;
  if (pieces_.size() >= kMostPieces) drop_all();
  erase(begin, piece.end);
  pieces_.emplace(begin, std::move(piece));
  is_empty_.store(false, std::memory_order_relaxed);
}

}  // namespace strata::dry_gpu
