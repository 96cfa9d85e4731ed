#include "plugins/allocator_tracer/allocator_tracer.hpp"

namespace strata::allocator_tracer {

namespace {

// A source that was built with ABI 1.0's first headers does not send it.
std::uint64_t device_handed_out_bytes(const strata_memory_event& memory) {
  return STRATA_HAS_FIELD(strata_memory_event, &memory, device_handed_out_bytes)
             ? memory.device_handed_out_bytes
             : 0;
}

std::uint64_t device_free_bytes(const strata_memory_event& memory) {
  return STRATA_HAS_FIELD(strata_memory_event, &memory, device_free_bytes) ? memory.device_free_bytes
                                                                           : UINT64_MAX;
}

}  // namespace

AllocatorTracer::AllocatorTracer(const Host& host)
    : events_(event_table(host)),
      failures_(failure_table(host)),
      ops_(op_table(host)),
      saved_(saved_table(host)) {}

void AllocatorTracer::on_memory(const strata_when& when, const strata_memory_event& memory) const noexcept {
  events_.append({.sequence = when.sequence,
                  .monotonic_ns = when.monotonic_ns,
                  .address = memory.address,
                  .bytes = memory.bytes,
                  .stream = memory.stream,
                  .pool = memory.pool,
                  .device_handed_out_bytes = device_handed_out_bytes(memory),
                  .op = when.op,
                  .thread = when.thread,
                  .action = memory.action,
                  .device_type = memory.device.type,
                  .device_index = static_cast<std::uint32_t>(memory.device.index),
                  .phase = when.phase,
                  .module = when.module});
  if (memory.action != STRATA_MEMORY_OUT_OF_MEMORY) return;
  failures_.append({.sequence = when.sequence,
                    .bytes = memory.bytes,
                    .device_free_bytes = device_free_bytes(memory),
                    .device_type = memory.device.type,
                    .device_index = static_cast<std::uint32_t>(memory.device.index)});
}

void AllocatorTracer::begin_op(const strata_when& when, const strata_op_info& op) const noexcept {
  ops_.append({.sequence = when.sequence,
               .monotonic_ns = when.monotonic_ns,
               .op = op.ordinal,
               .parent = op.parent,
               .autograd_sequence = op.autograd_sequence,
               .forward_thread = op.forward_thread,
               .thread = when.thread,
               .kind = op.kind,
               .name = op.name.id,
               .phase = when.phase,
               .module = when.module,
               .reserved = 0});
}

void AllocatorTracer::on_graph(const strata_when& when, const strata_graph_event& graph) const noexcept {
  saved_.append({.sequence = when.sequence,
                 .monotonic_ns = when.monotonic_ns,
                 .saved = graph.saved,
                 .address = graph.address,
                 .storage_bytes = graph.storage_bytes,
                 .op = when.op,
                 .thread = when.thread,
                 .action = graph.action,
                 .device_type = graph.device.type,
                 .device_index = static_cast<std::uint32_t>(graph.device.index),
                 .phase = when.phase,
                 .module = when.module});
}

}  // namespace strata::allocator_tracer

STRATA_EXPORT_PLUGINS(strata::allocator_tracer::AllocatorTracer)
