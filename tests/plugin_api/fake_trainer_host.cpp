// SPDX-License-Identifier: Apache-2.0
// Replaces libstrata_attach.so: records a program's marks.
#include <cstdint>
#include <string>

#include "strata/trainer_calls.h"

namespace {

std::string said;
std::uint32_t ordinals = 0;

void say(const std::string& word) {
  said += (said.empty() ? "" : " ") + word;
}

const strata_trainer_calls kCalls = {
    sizeof(strata_trainer_calls),
    STRATA_ABI_MAJOR,
    STRATA_ABI_MINOR,
    [] { say("step["); },
    [] { say("]step"); },
    [](double loss, std::uint64_t tokens) {
      say("loss " + std::to_string(loss) + " of " + std::to_string(tokens));
    },
    [](std::uint32_t index) { say("micro-batch " + std::to_string(index)); },
    [](const char* name) {
      say(std::string(name) + "(");
      return ++ordinals;
    },
    [](std::uint32_t phase) { say(")" + std::to_string(phase)); },
    [](const char* path, const char* type, std::uint32_t direction) {
      say(std::string(path) + ":" + type + ":" + std::to_string(direction) + "<");
      return ++ordinals;
    },
    [](std::uint32_t module) { say(">" + std::to_string(module)); },
    [] { return std::int32_t{1}; },
    [](const strata_owned_storage* storage) { say(storage->name); },
    [](void (*)(void*), void*) {},
    [](void*) {},
};

}  // namespace

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

FAKE_EXPORT const strata_trainer_calls* strata_trainer_bind(std::uint32_t abi_major) {
  return abi_major == STRATA_ABI_MAJOR ? &kCalls : nullptr;
}

// All marks since the last call.
FAKE_EXPORT const char* take_what_was_said() {
  static std::string taken;
  taken = said;
  said.clear();
  ordinals = 0;
  return taken.c_str();
}
