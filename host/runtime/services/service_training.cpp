// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/loop_inference.hpp"
#include "host/runtime/plugins/host_handle.hpp"
#include "host/runtime/services/caller_check.hpp"
#include "host/runtime/services/services.hpp"

namespace strata {
namespace {

std::uint32_t tell(const strata_host* host, std::uint32_t what, const char* name,
                   std::size_t name_bytes) noexcept try {
  HostHandle& handle = HostHandle::of(host);
  if (handle.parts.disarmed.load(std::memory_order_relaxed) || !allowed_here(handle, "training.tell"))
    return 0;
  return handle.parts.inference->saw(what, {name, name_bytes});
} catch (...) {
  return 0;  // out of memory: later inference may be wrong, but the program continues
}

}  // namespace

const strata_training_service kTrainingService = {sizeof(strata_training_service), 0, tell};

}  // namespace strata
