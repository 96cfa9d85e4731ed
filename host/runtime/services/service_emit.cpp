// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/plugins/host_handle.hpp"
#include "host/runtime/services/caller_check.hpp"
#include "host/runtime/services/services.hpp"
#include "host/runtime/store/names.hpp"

namespace strata {
namespace {

constexpr std::uint32_t kPublicInterest = STRATA_INTEREST_MEMORY | STRATA_INTEREST_OP |
                                          STRATA_INTEREST_GRAPH | STRATA_INTEREST_TENSOR |
                                          STRATA_INTEREST_ACTIVITY;

std::uint32_t interest(const strata_host* host) noexcept {
  return HostHandle::of(host).fan_out.interest() & kPublicInterest;
}

std::uint32_t interest_in_window(const strata_host* host) noexcept {
  return HostHandle::of(host).fan_out.interest_in_window() & kPublicInterest;
}

void intern(const strata_host* host, const char* text, std::size_t bytes, strata_name* name) noexcept {
  HostHandle& handle = HostHandle::of(host);
  *name = {"", 0, 0};
  if (handle.parts.disarmed.load(std::memory_order_relaxed) || !allowed_here(handle, "emit.intern")) return;
  *name = handle.parts.names.intern({text, bytes});
}

void memory(const strata_host* host, const strata_memory_event* event) noexcept {
  HostHandle::of(host).fan_out.memory(*event);
}
std::uint64_t op_begin(const strata_host* host, const strata_op_info* op) noexcept {
  return HostHandle::of(host).fan_out.begin_op(*op);
}
void op_end(const strata_host* host, std::uint64_t op) noexcept {
  HostHandle::of(host).fan_out.end_op(op);
}
void graph(const strata_host* host, const strata_graph_event* event) noexcept {
  HostHandle::of(host).fan_out.graph(*event);
}
void tensor(const strata_host* host, const strata_tensor_event* event) noexcept {
  HostHandle::of(host).fan_out.tensor(*event);
}
void activity(const strata_host* host, const strata_activity_event* event) noexcept {
  HostHandle::of(host).fan_out.activity(*event);
}

}  // namespace

const strata_emit_service kEmitService = {
    sizeof(strata_emit_service), 0, interest, intern, memory, op_begin, op_end, graph, tensor, activity,
    interest_in_window};

}  // namespace strata
