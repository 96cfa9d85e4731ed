// SPDX-License-Identifier: Apache-2.0
// Records memory events, operators and autograd's graph in the run store, one row per event (for operators
// only those that matter: operator_log.hpp). All conclusions are left to analysis.
//
// Threads: the listeners run on any thread, also under an allocator's lock. They fill a row on the stack and
// append it to the calling thread's spool, without a lock or an allocation of ours.
#pragma once

#include <array>
#include <optional>

#include "plugins/allocator_tracer/backtrace.hpp"
#include "plugins/allocator_tracer/operator_log.hpp"
#include "plugins/allocator_tracer/stack_tracer.hpp"
#include "plugins/allocator_tracer/tables.hpp"
#include "strata/option.hpp"
#include "strata/plugin.hpp"

namespace strata::allocator_tracer {

inline constexpr std::array kOptions{
    option::real(
        "stacks_above_mib", "-1",
        "Record the C++ stack of allocations of at least this many MiB; 0: of all; -1: of none by size.", -1,
        1 << 20),
    option::real("stacks_sample_mib", "0",
                 "Also record the stack of smaller allocations at random, about one for each this many MiB "
                 "allocated; 0: none.",
                 0, 1 << 20),
    option::integer("stack_frames", "128", "Number of innermost frames to keep of each stack.", 8,
                    kMostFrames)};

class AllocatorTracer {
 public:
  // Whole run: blocks that outlive the window or are older than it are part of the live memory in it.
  static constexpr strata_descriptor kDescriptor{
      .struct_size = sizeof(strata_descriptor),
      .flags = STRATA_DESCRIPTOR_WHOLE_RUN,
      .id = "allocator_tracer",
      .version = "0.2.0",
      .summary = "Every allocation and free, with the operator, layer and phase it happened in",
      .options = kOptions.data(),
      .option_count = kOptions.size(),
      .reserved = 0};

  // [loop-thread] Declares the tables. Throws std::runtime_error if the host rejects one.
  explicit AllocatorTracer(const Host& host);

  void begin_run(const strata_when& when, const strata_run_info& run);
  void begin_step(const strata_when& when, const strata_step_info& step);
  void end_run(const strata_when& when, std::uint32_t reason);
  void on_memory(const strata_when& when, const strata_memory_event& memory) noexcept;
  void begin_op(const strata_when& when, const strata_op_info& op);
  void on_graph(const strata_when& when, const strata_graph_event& graph) const noexcept;

 private:
  const Host host_;
  Table<EventRow> events_;
  Table<FailureRow> failures_;
  OperatorLog operators_;
  Table<SavedTensorRow> saved_;
  std::optional<StackTracer> stacks_;  // empty: allocations have no stacks
};

}  // namespace strata::allocator_tracer
