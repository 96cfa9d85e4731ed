// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/self_check.hpp"

#include <ATen/ops/empty.h>

#include <cstdint>
#include <thread>

#include "sources/torch/allocators/cpu_allocator.hpp"
#include "sources/torch/host/host_link.hpp"

namespace strata::torch_source {
namespace {

constexpr std::int64_t kBytes = 12347;  // unlike a size that another thread would ask for

// A host that looks out for one block of the thread that made it.
struct Probe {
  std::thread::id thread = std::this_thread::get_id();
  std::uint64_t address = 0;
  bool allocated = false;
  bool freed = false;
};

void watch(const strata_host* host, const strata_memory_event* memory) {
  auto& probe = *static_cast<Probe*>(host->self);
  if (std::this_thread::get_id() != probe.thread) return;
  if (memory->action == STRATA_MEMORY_ALLOCATE && memory->bytes == kBytes) {
    probe.allocated = true;
    probe.address = memory->address;
  }
  if (memory->action == STRATA_MEMORY_FREE && probe.allocated && memory->address == probe.address) {
    probe.freed = true;
  }
}

}  // namespace

std::string self_check() {
  // Static, for a thread that is late to leave its event.
  static Probe probe;
  static strata_host host;
  static strata_emit_service emit;
  if (!wait_for_emissions()) return kStuckThread;
  if (std::string reason = install_cpu_allocator(); !reason.empty()) return reason;
  probe = {};
  host.self = &probe;
  emit.struct_size = sizeof(emit);
  emit.interest = [](const strata_host*) { return STRATA_INTEREST_MEMORY; };
  emit.memory = &watch;
  connect_host(&host, &emit);
  std::uint64_t address = 0;
  {
    const at::Tensor tensor = at::empty({kBytes}, at::kByte);
    address = reinterpret_cast<std::uint64_t>(tensor.const_data_ptr());
  }
  disconnect_host();
  restore_cpu_allocator();
  if (probe.allocated && probe.address == address && probe.freed) return {};
  return "a tensor of " + std::to_string(kBytes) + " bytes was made and dropped, but its " +
         (probe.allocated ? "free" : "allocation") +
         " was not seen: this torch does not use its registered CPU allocator.";
}

}  // namespace strata::torch_source
