// SPDX-License-Identifier: Apache-2.0
#include "plugins/allocator_tracer/allocator_tracer.hpp"

#include <string>

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
    : host_(host),
      events_(event_table(host)),
      failures_(failure_table(host)),
      operators_(op_table(host)),
      saved_(saved_table(host)) {
  const StackChoice choice(host.real("stacks_above_mib"), host.real("stacks_sample_mib"));
  if (choice.chooses_any())
    stacks_.emplace(host, choice, static_cast<std::size_t>(host.integer("stack_frames")));
}

void AllocatorTracer::begin_run(const strata_when&, const strata_run_info&) {
  if (stacks_) stacks_->note_libraries();
}

void AllocatorTracer::begin_step(const strata_when&, const strata_step_info&) {
  if (stacks_) stacks_->note_libraries();
}

void AllocatorTracer::end_run(const strata_when&, std::uint32_t reason) {
  if (!stacks_) return;
  if (reason != STRATA_RUN_EXITED) stacks_->note_libraries();  // a thread that is gone may have kept the lock
  if (const std::uint64_t events = stacks_->stacks_left_out(); events != 0) {
    host_.warning(std::to_string(events) +
                  " allocations got no stack: there were too many different ones. Take fewer with a larger "
                  "stacks_above_mib or stacks_sample_mib.");
  }
}

void AllocatorTracer::on_memory(const strata_when& when, const strata_memory_event& memory) noexcept {
  operators_.need(when.op);
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
  if (stacks_) stacks_->on_memory(when, memory);
  if (memory.action != STRATA_MEMORY_OUT_OF_MEMORY) return;
  failures_.append({.sequence = when.sequence,
                    .bytes = memory.bytes,
                    .device_free_bytes = device_free_bytes(memory),
                    .device_type = memory.device.type,
                    .device_index = static_cast<std::uint32_t>(memory.device.index)});
}

void AllocatorTracer::begin_op(const strata_when& when, const strata_op_info& op) {
  if (stacks_) stacks_->note_missing_libraries();
  operators_.begin(when, op);
}

void AllocatorTracer::on_graph(const strata_when& when, const strata_graph_event& graph) const noexcept {
  operators_.need(when.op);
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
