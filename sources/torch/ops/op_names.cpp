// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/ops/op_names.hpp"

#include <pthread.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <string_view>

namespace strata::torch_source {
namespace {

// A training step uses a few hundred names. One that finds its slots taken replaces another: right, and
// slower.
constexpr std::size_t kSlots = 1024;
constexpr std::size_t kProbes = 8;

// Most names are stored permanently with their operator's schema, so their address identifies them without
// comparing every character. Others are stored with the call: the address may have another name next time.
struct Place {
  const char* text;
  std::uint64_t run;
  strata_name name;
};

struct Slot {
  std::size_t hash;
  std::uint64_t run;  // names live as long as their run; 0: never used
  strata_name name;
};

struct OpNames {
  std::array<Place, kSlots> places;
  std::array<Slot, kSlots> slots;
};

// Only a pointer, because this library is opened late, when the space for thread-local data may be exhausted.
// It has no destructor, so it can be used until the very end of the thread.
constinit thread_local OpNames* op_names = nullptr;

// Runs when a thread ends, and again when a later destructor of the thread begins an op and so makes a new
// table.
void drop_op_names(void* names) {
  delete static_cast<OpNames*>(names);
  op_names = nullptr;
}

struct ThreadEnd {
  pthread_key_t key{};
  bool watched = pthread_key_create(&key, drop_op_names) == 0;
};

// The calling thread's, made at its first op; null when there is no memory for it.
OpNames* op_names_of_this_thread() {
  if (op_names != nullptr) return op_names;
  static const ThreadEnd thread_end;
  if (!thread_end.watched) return nullptr;
  op_names = new (std::nothrow) OpNames{};
  if (op_names != nullptr) pthread_setspecific(thread_end.key, op_names);
  return op_names;
}

Place& place_of(OpNames& names, const char* text) {
  return names.places[(reinterpret_cast<std::uintptr_t>(text) * 0x9E3779B97F4A7C15u) >> 32 & (kSlots - 1)];
}

strata_name find_by_text(const Emission& emission, std::array<Slot, kSlots>& slots, std::string_view key) {
  const std::size_t hash = std::hash<std::string_view>{}(key);
  Slot* target = &slots[hash % kSlots];
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    Slot& slot = slots[(hash + probe) % kSlots];
    if (slot.run != emission.run()) {
      target = &slot;
      break;
    }
    if (slot.hash == hash && key == slot.name.text) return slot.name;
  }
  *target = {.hash = hash, .run = emission.run(), .name = emission.intern(key)};
  return target->name;
}

}  // namespace

strata_name interned_op_name(const Emission& emission, const char* text) {
  OpNames* const names = op_names_of_this_thread();
  if (names == nullptr) return emission.intern(text);
  Place& place = place_of(*names, text);
  const bool is_known = place.text == text && place.run == emission.run();
  if (!is_known || std::strcmp(text, place.name.text) != 0)
    place = {.text = text, .run = emission.run(), .name = find_by_text(emission, names->slots, text)};
  return place.name;
}

}  // namespace strata::torch_source
