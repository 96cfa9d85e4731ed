#include "sources/torch/op_names.hpp"

#include <pthread.h>

#include <array>
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

struct Slot {
  std::size_t hash;
  std::uint64_t run;  // names live as long as their run; 0: never used
  strata_name name;
};

using OpNames = std::array<Slot, kSlots>;

// A pointer alone: this library is opened late, when the space for thread-local data may be used up. It has
// no destructor, so that it may be used until the thread's very end.
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

strata_name intern(const Emission& emission, std::string_view text) {
  return emission.intern(text.data(), text.size());
}

}  // namespace

strata_name interned_op_name(const Emission& emission, const char* text) {
  const std::string_view key(text);
  OpNames* const names = op_names_of_this_thread();
  if (names == nullptr) return intern(emission, key);
  OpNames& slots = *names;
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
  *target = {.hash = hash, .run = emission.run(), .name = intern(emission, key)};
  return target->name;
}

}  // namespace strata::torch_source
