// Writes what it hears of memory, operators and autograd's graph into the run store, one row an event, and
// leaves every conclusion to analysis.
//
// Threads: the listeners run on any thread, under an allocator's lock too. They fill a row on the stack and
// append it to the calling thread's spool: no lock of ours, no allocation.
#pragma once

#include <cstdint>

#include "strata/entry.h"
#include "strata/ext/graph.h"
#include "strata/ext/memory.h"
#include "strata/ext/op.h"
#include "strata/ext/store.h"

namespace strata::allocator_tracer {

class AllocatorTracer {
 public:
  // [driver] Declares the tables. Throws std::runtime_error with the reason when the host cannot keep them.
  explicit AllocatorTracer(const strata_host* host);
  AllocatorTracer(const AllocatorTracer&) = delete;
  AllocatorTracer& operator=(const AllocatorTracer&) = delete;

  strata_plugin* plugin() { return &plugin_; }

  void on_memory(const strata_when& when, const strata_memory_event& memory) const noexcept;
  void on_op(const strata_when& when, const strata_op_info& op) const noexcept;
  void on_graph(const strata_when& when, const strata_graph_event& graph) const noexcept;

 private:
  static const void* listener(strata_plugin* plugin, const char* id);
  std::uint32_t declare(const strata_table& table) const;

  strata_plugin plugin_;
  const strata_host* host_;
  const strata_store_service* store_;
  bool ops_;
  std::uint32_t event_table_ = 0;
  std::uint32_t op_table_ = 0;  // 0 without operators
  std::uint32_t saved_table_ = 0;
};

}  // namespace strata::allocator_tracer
