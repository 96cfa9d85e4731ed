// SPDX-License-Identifier: Apache-2.0
// The values that an unpickler has built: how they are kept, and how much memory they may take.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "host/snapshot/pickle/unpickler.hpp"

namespace strata::snapshot {
namespace {

constexpr std::uint64_t kLeastMemory = std::uint64_t{256} << 20;
// A snapshot needs about its own size, most of it for the memo; other files may ask for sixteen times theirs.
constexpr std::uint64_t kMemoryPerByte = 2;

constexpr std::uint64_t space_for(std::uint64_t count) {
  return count == 0 ? 0 : std::bit_ceil(count);
}

}  // namespace

Value Unpickler::make(Shape shape, std::span<const Value> items) {
  const Value made(Kind::kObject, objects_.size());
  objects_.push_back({.begin = items_.size(), .count = 0, .shape = shape, .record_type = 0});
  if (!items.empty()) {
    objects_.back().count = static_cast<std::uint32_t>(items.size());
    const std::size_t begin = items_.size();
    items_.resize(begin + space_for(items.size()));
    std::ranges::copy(items, items_.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  return made;
}

void Unpickler::append(Value container, Shape shape, std::size_t from) {
  const std::span<const Value> added = std::span<const Value>(stack_).subspan(from);
  if (container.kind() != Kind::kObject || objects_[container.payload()].shape != shape) {
    const bool was_taken = record(container).has_value();
    refuse(was_taken
               ? "an entry is changed after it was complete, which torch never does"
               : "items are added to something that is neither a list nor a dict; the pickle is damaged");
  }
  Object& object = objects_[container.payload()];
  if (shape == Shape::kDict && added.size() % 2 != 0) refuse("a key has no value; the pickle is damaged");
  if (added.size() > std::numeric_limits<std::uint32_t>::max() - object.count)
    refuse("a list has more items than a snapshot can have");
  // Single items come one by one: only the last of them would complete the dict.
  if (shape == Shape::kDict && object.count == 0 && added.size() > 2 && intake_ != nullptr) {
    if (const std::optional<Record> taken = intake_->take(*this, added)) return replace(container, *taken);
  }
  const std::uint64_t count = object.count + added.size();
  const std::uint64_t space = space_for(object.count);
  if (count > space) {
    check_memory();
    const bool is_last = object.begin + space == items_.size();
    const std::uint64_t begin = is_last ? object.begin : items_.size();
    items_.resize(begin + space_for(count));
    if (!is_last) {
      std::copy_n(items_.begin() + static_cast<std::ptrdiff_t>(object.begin), object.count,
                  items_.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    object.begin = begin;
  }
  std::ranges::copy(added, items_.begin() + static_cast<std::ptrdiff_t>(object.begin + object.count));
  object.count = static_cast<std::uint32_t>(count);
}

std::span<const Value> Unpickler::items(Value value) const {
  const Object& object = objects_[value.payload()];
  return std::span(items_).subspan(object.begin, object.count);
}

std::optional<Record> Unpickler::record(Value value) const {
  if (!has_shape(value, Shape::kRecord)) return std::nullopt;
  const Object& object = objects_[value.payload()];
  return Record{object.record_type, object.begin};
}

void Unpickler::replace(Value value, Record record) {
  Object& object = objects_[value.payload()];
  const std::uint64_t space = space_for(object.count);
  if (space > 0 && object.begin + space == items_.size()) items_.resize(object.begin);
  object = {.begin = record.number, .count = 0, .shape = Shape::kRecord, .record_type = record.type};
}

std::optional<std::int64_t> Unpickler::integer(Value value) const {
  if (value.kind() == Kind::kInteger) return value.small_integer();
  if (value.kind() == Kind::kWideInteger) return wide_[value.payload()];
  return std::nullopt;
}

std::optional<std::uint32_t> Unpickler::text(Value value) const {
  if (value.kind() != Kind::kText) return std::nullopt;
  return static_cast<std::uint32_t>(value.payload());
}

// Picklers count from 0 without gaps. A large index must not take memory.
void Unpickler::remember(std::uint64_t index) {
  const Value value = top();
  if (index > memo_.size())
    refuse(fmt::format("the memo's entry {} follows entry {}; the pickle is damaged", index, memo_.size()));
  if (index == memo_.size())
    memo_.push_back(value);
  else
    memo_[index] = value;
}

void Unpickler::recall(std::uint64_t index) {
  if (index >= memo_.size()) refuse(fmt::format("the memo has no entry {}; the pickle is damaged", index));
  push(memo_[index]);
}

void Unpickler::check_memory() const {
  const std::uint64_t used = (stack_.capacity() + memo_.capacity() + items_.capacity() + wide_.capacity() +
                              reals_.capacity() + marks_.capacity()) *
                                 8 +
                             objects_.capacity() * sizeof(Object) + texts_.memory_bytes();
  if (used > std::max(kLeastMemory, kMemoryPerByte * file_.size()))
    refuse(
        fmt::format("its data needs more than {} MiB, far more than a snapshot of this size needs: it is not "
                    "a snapshot, or was made to exhaust memory",
                    used >> 20));
}

}  // namespace strata::snapshot
