#include "plugins/allocator_tracer/allocator_tracer.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include "plugins/allocator_tracer/tables.hpp"

namespace strata::allocator_tracer {
namespace {

const strata_store_service* store_of(const strata_host* host) {
  const auto* const store = static_cast<const strata_store_service*>(host->service(host, STRATA_EXT_STORE));
  if (store == nullptr) {
    throw std::runtime_error("this host has no " STRATA_EXT_STORE
                             ": the tracer needs a run directory to write to.");
  }
  return store;
}

const AllocatorTracer& tracer(const void* self) {
  return *static_cast<const AllocatorTracer*>(self);
}

constexpr strata_memory_listener kMemoryListener{
    .struct_size = sizeof(strata_memory_listener),
    .reserved = 0,
    .on_memory = [](void* self, const strata_when* when, const strata_memory_event* memory) {
      tracer(self).on_memory(*when, *memory);
    }};

constexpr strata_op_listener kOpListener{
    .struct_size = sizeof(strata_op_listener),
    .reserved = 0,
    .begin = [](void* self, const strata_when* when, const strata_op_info* op) -> std::uint64_t {
      tracer(self).on_op(*when, *op);
      return 0;
    },
    .end = nullptr};

constexpr strata_graph_listener kGraphListener{
    .struct_size = sizeof(strata_graph_listener),
    .reserved = 0,
    .on_graph = [](void* self, const strata_when* when, const strata_graph_event* graph) {
      tracer(self).on_graph(*when, *graph);
    }};

}  // namespace

AllocatorTracer::AllocatorTracer(const strata_host* host)
    : plugin_{.struct_size = sizeof(strata_plugin),
              .reserved = 0,
              .self = this,
              .listener = &AllocatorTracer::listener,
              .destroy = [](strata_plugin* plugin) { delete static_cast<AllocatorTracer*>(plugin->self); }},
      host_(host),
      store_(store_of(host)),
      ops_(host->option_flag(host, "ops") != 0),
      event_table_(declare(kEventTable)),
      op_table_(ops_ ? declare(kOpTable) : 0),
      saved_table_(declare(kSavedTable)) {}

std::uint32_t AllocatorTracer::declare(const strata_table& table) const {
  const std::uint32_t handle = store_->declare(host_, &table);
  if (handle == 0) {
    throw std::runtime_error(std::string("the run store refused the table '") + table.name +
                             "': its reason is in the log.");
  }
  return handle;
}

const void* AllocatorTracer::listener(strata_plugin* plugin, const char* id) {
  const AllocatorTracer& self = tracer(plugin->self);
  if (std::strcmp(id, STRATA_EXT_MEMORY) == 0) return &kMemoryListener;
  if (std::strcmp(id, STRATA_EXT_OP) == 0 && self.ops_) return &kOpListener;
  if (std::strcmp(id, STRATA_EXT_GRAPH) == 0) return &kGraphListener;
  return nullptr;
}

void AllocatorTracer::on_memory(const strata_when& when, const strata_memory_event& memory) const noexcept {
  const EventRow row{.sequence = when.sequence,
                     .monotonic_ns = when.monotonic_ns,
                     .address = memory.address,
                     .bytes = memory.bytes,
                     .stream = memory.stream,
                     .pool = memory.pool,
                     .op = when.op,
                     .thread = when.thread,
                     .action = memory.action,
                     .device_type = memory.device.type,
                     .device_index = static_cast<std::uint32_t>(memory.device.index),
                     .phase = when.phase,
                     .module = when.module};
  store_->append(host_, event_table_, &row);
}

void AllocatorTracer::on_op(const strata_when& when, const strata_op_info& op) const noexcept {
  const OpRow row{.sequence = when.sequence,
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
                  .reserved = 0};
  store_->append(host_, op_table_, &row);
}

void AllocatorTracer::on_graph(const strata_when& when, const strata_graph_event& graph) const noexcept {
  const SavedRow row{.sequence = when.sequence,
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
                     .module = when.module};
  store_->append(host_, saved_table_, &row);
}

}  // namespace strata::allocator_tracer
