// SPDX-License-Identifier: Apache-2.0
// Breaks the contract: lets an exception cross the C ABI, without the C++ layer that would stop it.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "strata/entry.h"
#include "strata/ext/phase.h"

namespace {

std::uint64_t begin(void*, const strata_when*, const strata_phase_info*) {
  throw 1;
}

const void* listener(strata_plugin*, const char* id) {
  static const strata_phase_listener phase = {sizeof phase, 0, begin, nullptr};
  return std::strcmp(id, STRATA_EXT_PHASE) == 0 ? &phase : nullptr;
}

void destroy(strata_plugin*) {}

std::int32_t init(const char*, char*, std::size_t) {
  return 0;
}
void deinit() {}
std::uint32_t count() {
  return 1;
}

const strata_descriptor* descriptor(std::uint32_t index) {
  static const strata_descriptor self = {
      sizeof self, STRATA_DESCRIPTOR_WHOLE_RUN, "raw_thrower", "1.0", "Throws", nullptr, 0, 0};
  return index == 0 ? &self : nullptr;
}

strata_plugin* create(const strata_host*, const char*, char*, std::size_t) {
  static strata_plugin self = {sizeof self, 0, nullptr, listener, destroy};
  return &self;
}

}  // namespace

const strata_entry strata_plugin_entry = {
    sizeof(strata_entry), STRATA_ABI_MAJOR, STRATA_ABI_MINOR, init, deinit, count, descriptor, create};
