// Writes what it hears of memory, operators and autograd's graph into the run store, one row an event, and
// leaves every conclusion to analysis.
//
// Threads: the listeners run on any thread, under an allocator's lock too. They fill a row on the stack and
// append it to the calling thread's spool: no lock of ours, no allocation.
#pragma once

#include "plugins/allocator_tracer/tables.hpp"
#include "strata/plugin.hpp"

namespace strata::allocator_tracer {

class AllocatorTracer {
 public:
  // Blocks that outlive the window, or are older than it, are part of what is alive in it.
  static constexpr strata_descriptor kDescriptor{
      .struct_size = sizeof(strata_descriptor),
      .flags = STRATA_DESCRIPTOR_WHOLE_RUN,
      .id = "allocator_tracer",
      .version = "0.1.0",
      .summary = "Every allocation and free, with the operator, layer and phase it happened in",
      .options = nullptr,
      .option_count = 0,
      .reserved = 0};

  // [driver] Declares the tables. Throws std::runtime_error when the host refuses one.
  explicit AllocatorTracer(const Host& host);

  void on_memory(const strata_when& when, const strata_memory_event& memory) const noexcept;
  void begin_op(const strata_when& when, const strata_op_info& op) const noexcept;
  void on_graph(const strata_when& when, const strata_graph_event& graph) const noexcept;

 private:
  Table<EventRow> events_;
  Table<FailureRow> failures_;
  Table<OpRow> ops_;
  Table<SavedRow> saved_;
};

}  // namespace strata::allocator_tracer
