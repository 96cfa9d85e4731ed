// SPDX-License-Identifier: Apache-2.0
#include "plugins/allocator_tracer/stack_tracer.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace strata::allocator_tracer {

StackTracer::StackTracer(const Host& host, StackChoice choice, std::size_t most_frames)
    : choice_(choice),
      most_frames_(std::min(most_frames, kMostFrames)),
      events_(event_stack_table(host)),
      frames_(stack_frame_table(host)),
      library_rows_(library_table(host)) {}

void StackTracer::on_memory(const strata_when& when, const strata_memory_event& memory) noexcept {
  if (memory.action == STRATA_MEMORY_OUT_OF_MEMORY) return take_stack(when.sequence, 1.0);
  if (memory.action != STRATA_MEMORY_ALLOCATE) return;
  if (const std::optional<double> chance = choice_.chance_if_chosen(when.sequence, memory.bytes))
    take_stack(when.sequence, *chance);
}

void StackTracer::take_stack(std::uint64_t sequence, double chance) noexcept {
  std::array<std::uintptr_t, kMostFrames> buffer;
  const std::span<std::uintptr_t> room(buffer.data(), most_frames_);
  const std::span<const std::uintptr_t> addresses = room.first(unwinder_.take(room));
  const std::uint64_t stack = hash_of(addresses);
  const StackSet::Found found = written_.insert(stack);
  if (found == StackSet::Found::kFull) {
    left_out_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (found == StackSet::Found::kNew && !write_stack(stack, addresses)) written_.forget(stack);
  events_.append({.sequence = sequence, .stack = stack, .chance = chance});
}

bool StackTracer::write_stack(std::uint64_t stack, std::span<const std::uintptr_t> addresses) noexcept {
  bool is_whole = true;
  for (std::uint32_t position = 0; position < addresses.size(); ++position) {
    const std::uintptr_t address = addresses[position];
    is_whole &= frames_.append({.stack = stack, .address = address, .position = position, .reserved = 0});
    if (!libraries_.knows(address)) library_missing_.store(true, std::memory_order_relaxed);
  }
  return is_whole;
}

void StackTracer::note_libraries() {
  library_missing_.store(false, std::memory_order_relaxed);
  for (const LoadedLibrary& library : libraries_.take_new()) {
    library_rows_.append({.base = library.base,
                          .begin_address = library.begin,
                          .end_address = library.end,
                          .modified_ns = library.modified_ns,
                          .path = library_rows_.intern(library.path),
                          .build_id = library_rows_.intern(library.build_id)});
  }
}

}  // namespace strata::allocator_tracer
