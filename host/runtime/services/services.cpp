// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/services/services.hpp"

#include <string_view>

#include "host/runtime/plugins/host_handle.hpp"
#include "host/runtime/plugins/plugin_instance.hpp"

namespace strata {

const void* find_service(const HostHandle& host, const char* id) noexcept {
  const std::string_view wanted = id;
  if (wanted == STRATA_EXT_LOG) return &kLogService;
  if (wanted == STRATA_EXT_CLOCK) return &kClockService;
  if (wanted == STRATA_EXT_WINDOW) return &kWindowService;
  if (wanted == STRATA_EXT_THREAD_CHECK) return &kThreadCheckService;
  if (wanted == STRATA_EXT_STORE) return host.parts.store == nullptr ? nullptr : &kStoreService;
  if (wanted == STRATA_EXT_ARTIFACT) return host.parts.artifacts == nullptr ? nullptr : &kArtifactService;
  if (wanted == STRATA_EXT_EMIT) return host.plugin.is_source() ? &kEmitService : nullptr;
  if (wanted == STRATA_EXT_TRAINING)
    return host.plugin.is_source() && host.parts.inference != nullptr ? &kTrainingService : nullptr;
  return nullptr;
}

}  // namespace strata
