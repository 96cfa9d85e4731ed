// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include <fmt/format.h>

#include "host/runtime/plugins/plugin_instance.hpp"
#include "host/runtime/services/caller_check.hpp"
#include "host/runtime/services/services.hpp"
#include "host/runtime/store/store.hpp"

namespace strata {
namespace {

std::uint32_t declare(const strata_host* host, const strata_table* table) noexcept {
  HostHandle& handle = HostHandle::of(host);
  if (handle.parts.disarmed.load(std::memory_order_relaxed) || !allowed_here(handle, "store.declare"))
    return 0;
  expect_loop_thread(handle, "store.declare");
  try {
    return handle.parts.store->declare(handle.plugin.id(), *table);
  } catch (const std::exception& error) {
    handle.plugin.report_fault(fmt::format("a table was refused: {}", error.what()));
    return 0;
  }
}

std::int32_t append(const strata_host* host, std::uint32_t table, const void* row) noexcept {
  return HostHandle::of(host).parts.store->append(table, row) ? 1 : 0;
}

std::uint32_t intern(const strata_host* host, const char* text, std::size_t bytes) noexcept {
  HostHandle& handle = HostHandle::of(host);
  if (handle.parts.disarmed.load(std::memory_order_relaxed) || !allowed_here(handle, "store.intern"))
    return 0;
  return handle.parts.store->intern({text, bytes}).id;
}

}  // namespace

const strata_store_service kStoreService = {sizeof(strata_store_service), 0, declare, append, intern};

}  // namespace strata
