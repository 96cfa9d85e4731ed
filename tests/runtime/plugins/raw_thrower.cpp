// SPDX-License-Identifier: Apache-2.0
// Violates the contract: lets an exception cross the C ABI, without the C++ layer that would stop it.
// THROWS_IN selects the function.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "strata/entry.h"
#include "strata/ext/phase.h"

namespace {

enum class Function { kBegin, kListener, kDestroy, kInit, kDeinit, kCreate };

constexpr Function kThrowsIn = Function::THROWS_IN;

void throw_in(Function function) {
  if (function == kThrowsIn) throw std::runtime_error("on purpose");
}

std::uint64_t begin(void*, const strata_when*, const strata_phase_info*) {
  if (kThrowsIn == Function::kBegin) throw 1;
  return 0;
}

const void* listener(strata_plugin*, const char* id) {
  throw_in(Function::kListener);
  static const strata_phase_listener phase = {sizeof phase, 0, begin, nullptr};
  return std::strcmp(id, STRATA_EXT_PHASE) == 0 ? &phase : nullptr;
}

void destroy(strata_plugin*) {
  throw_in(Function::kDestroy);
}

std::int32_t init(const char*, char*, std::size_t) {
  throw_in(Function::kInit);
  return 0;
}
void deinit() {
  throw_in(Function::kDeinit);
}
std::uint32_t count() {
  return 1;
}

const strata_descriptor* descriptor(std::uint32_t index) {
  static const strata_descriptor self = {
      sizeof self, STRATA_DESCRIPTOR_WHOLE_RUN, THROWER_ID, "1.0", "Throws", nullptr, 0, 0};
  return index == 0 ? &self : nullptr;
}

strata_plugin* create(const strata_host*, const char*, char*, std::size_t) {
  throw_in(Function::kCreate);
  static strata_plugin self = {sizeof self, 0, nullptr, listener, destroy};
  return &self;
}

}  // namespace

const strata_entry strata_plugin_entry = {
    sizeof(strata_entry), STRATA_ABI_MAJOR, STRATA_ABI_MINOR, init, deinit, count, descriptor, create};
