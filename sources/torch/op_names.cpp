#include "sources/torch/op_names.hpp"

#include <array>
#include <cstring>
#include <functional>
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

// No constructor and no destructor, so that it may be used until the thread's very end.
thread_local std::array<Slot, kSlots> slots;

}  // namespace

strata_name interned_op_name(const Emission& emission, const char* text) {
  const std::string_view key(text);
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
  *target = {.hash = hash, .run = emission.run(), .name = emission.intern(key.data(), key.size())};
  return target->name;
}

}  // namespace strata::torch_source
