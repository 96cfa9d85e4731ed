// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/log.hpp"
#include "host/runtime/plugins/plugin_instance.hpp"
#include "host/runtime/services/caller_check.hpp"
#include "host/runtime/services/services.hpp"

namespace strata {
namespace {

void write(const strata_host* host, std::uint32_t severity, const char* text) noexcept {
  HostHandle& handle = HostHandle::of(host);
  if (handle.parts.disarmed.load(std::memory_order_relaxed) || text == nullptr) return;
  if (!allowed_here(handle, "log.write")) return;
  if (severity == STRATA_LOG_PLUGIN_MISBEHAVING) {
    handle.plugin.report_fault(text);
    return;
  }
  if (severity == STRATA_LOG_PLUGIN_FAILED) {
    handle.plugin.give_up(text);
    return;
  }
  if (severity == STRATA_LOG_HOST_MISBEHAVING) handle.fan_out.faults().count_reported();
  write_log(severity, handle.plugin.id(), text);
}

}  // namespace

const strata_log_service kLogService = {sizeof(strata_log_service), 0, write};

}  // namespace strata
