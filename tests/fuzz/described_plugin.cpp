// SPDX-License-Identifier: Apache-2.0
// A plugin with a fuzz target's descriptor: STRATA_FUZZ_DESCRIPTOR holds its address.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "strata/entry.h"

namespace {

std::int32_t initialise(const char*, char*, std::size_t) {
  return 0;
}
void deinitialise() {}
std::uint32_t count() {
  return 1;
}
const strata_descriptor* descriptor(std::uint32_t) {
  const char* const address = std::getenv("STRATA_FUZZ_DESCRIPTOR");
  void* descriptor = nullptr;
  if (address != nullptr) std::sscanf(address, "%p", &descriptor);
  return static_cast<const strata_descriptor*>(descriptor);
}
strata_plugin* create(const strata_host*, const char*, char*, std::size_t) {
  return nullptr;
}

}  // namespace

extern "C" const strata_entry strata_plugin_entry = {sizeof(strata_entry), STRATA_ABI_MAJOR,
                                                     STRATA_ABI_MINOR,     initialise,
                                                     deinitialise,         count,
                                                     descriptor,           create};
