// SPDX-License-Identifier: Apache-2.0
#include "plugins/cupti_timeline/activity_tables.hpp"

namespace strata::cupti_timeline {

Table<ActivityRow> activity_table(const Host& host) {
  return {
      host,
      "activity",
      "a kernel, a copy or a CUDA call: an activity of a device or a request to it",
      {STRATA_COLUMN(ActivityRow, activity, STRATA_COLUMN_UINT64, "",
                     "ordinal from 1, in the order of reporting"),
       STRATA_COLUMN(ActivityRow, begin_ns, STRATA_COLUMN_INT64, "ns", "on CLOCK_MONOTONIC"),
       STRATA_COLUMN(ActivityRow, end_ns, STRATA_COLUMN_INT64, "ns", "on CLOCK_MONOTONIC"),
       STRATA_COLUMN(ActivityRow, kind, STRATA_COLUMN_UINT32, "", "STRATA_ACTIVITY_*"),
       STRATA_COLUMN(ActivityRow, detail, STRATA_COLUMN_UINT32, "", "one of the constants of the kind"),
       STRATA_COLUMN(ActivityRow, name, STRATA_COLUMN_STRING, "", "name; a kernel's is demangled"),
       STRATA_COLUMN(ActivityRow, device_type, STRATA_COLUMN_UINT32, "", "STRATA_DEVICE_*"),
       STRATA_COLUMN(ActivityRow, device_index, STRATA_COLUMN_UINT32, "",
                     "index of the device among devices of its type"),
       STRATA_COLUMN(ActivityRow, context, STRATA_COLUMN_UINT32, "", "CUPTI's number of it"),
       STRATA_COLUMN(ActivityRow, stream, STRATA_COLUMN_UINT64, "", "CUPTI's number, within the context"),
       STRATA_COLUMN(ActivityRow, correlation, STRATA_COLUMN_UINT64, "",
                     "links an activity to the call that requested it; 0: none"),
       STRATA_COLUMN(ActivityRow, thread, STRATA_COLUMN_UINT32, "",
                     "the OS's thread id of a call; 0 for a device activity"),
       STRATA_COLUMN(ActivityRow, op, STRATA_COLUMN_UINT64, "",
                     "ordinal of the range in which it was called; 0: unknown"),
       STRATA_COLUMN(ActivityRow, phase, STRATA_COLUMN_UINT32, "",
                     "ordinal of the range in which it was called; 0: unknown"),
       STRATA_COLUMN(ActivityRow, module, STRATA_COLUMN_UINT32, "",
                     "ordinal of the range in which it was called; 0: unknown"),
       STRATA_COLUMN(ActivityRow, bytes, STRATA_COLUMN_UINT64, "bytes",
                     "bytes copied, set, allocated or loaded"),
       STRATA_COLUMN(ActivityRow, address, STRATA_COLUMN_UINT64, "", "of device memory allocated or freed"),
       STRATA_COLUMN(ActivityRow, graph, STRATA_COLUMN_UINT64, "", "the CUDA graph's number; 0: none"),
       STRATA_COLUMN(ActivityRow, graph_node, STRATA_COLUMN_UINT64, "",
                     "node of a graph that is recorded node by node"),
       STRATA_COLUMN(ActivityRow, modelled, STRATA_COLUMN_UINT32, "",
                     "1: a dry device computed its times; nothing was measured")},
      STRATA_THIN_SPAN};
}

Table<KernelRow> kernel_table(const Host& host) {
  return {host,
          "kernel",
          "how a kernel was launched; its activity has the same ordinal",
          {STRATA_COLUMN(KernelRow, activity, STRATA_COLUMN_UINT64, "", "ordinal of the activity"),
           STRATA_COLUMN(KernelRow, grid_x, STRATA_COLUMN_UINT32, "", "blocks"),
           STRATA_COLUMN(KernelRow, grid_y, STRATA_COLUMN_UINT32, "", "blocks"),
           STRATA_COLUMN(KernelRow, grid_z, STRATA_COLUMN_UINT32, "", "blocks"),
           STRATA_COLUMN(KernelRow, block_x, STRATA_COLUMN_UINT32, "", "threads"),
           STRATA_COLUMN(KernelRow, block_y, STRATA_COLUMN_UINT32, "", "threads"),
           STRATA_COLUMN(KernelRow, block_z, STRATA_COLUMN_UINT32, "", "threads"),
           STRATA_COLUMN(KernelRow, registers, STRATA_COLUMN_UINT32, "", "of a thread"),
           STRATA_COLUMN(KernelRow, static_shared_bytes, STRATA_COLUMN_UINT32, "bytes", "of a block"),
           STRATA_COLUMN(KernelRow, dynamic_shared_bytes, STRATA_COLUMN_UINT32, "bytes", "of a block")},
          STRATA_THIN_PART};
}

ActivityRow activity_row(const strata_activity_event& activity, std::uint64_t ordinal) noexcept {
  return {.begin_ns = activity.begin_ns,
          .end_ns = activity.end_ns,
          .activity = ordinal,
          .stream = activity.stream,
          .correlation = activity.correlation,
          .op = activity.op,
          .bytes = activity.bytes,
          .address = activity.address,
          .graph = activity.graph,
          .graph_node = activity.graph_node,
          .kind = activity.kind,
          .detail = activity.detail,
          .name = activity.name.id,
          .device_type = activity.device.type,
          .device_index = static_cast<std::uint32_t>(activity.device.index),
          .context = activity.context,
          .thread = activity.thread,
          .phase = activity.phase,
          .module = activity.module,
          .modelled = activity.modelled};
}

KernelRow kernel_row(const strata_activity_event& kernel, std::uint64_t ordinal) noexcept {
  return {.activity = ordinal,
          .grid_x = kernel.grid[0],
          .grid_y = kernel.grid[1],
          .grid_z = kernel.grid[2],
          .block_x = kernel.block[0],
          .block_y = kernel.block[1],
          .block_z = kernel.block[2],
          .registers = kernel.registers,
          .static_shared_bytes = kernel.static_shared_bytes,
          .dynamic_shared_bytes = kernel.dynamic_shared_bytes,
          .reserved = 0};
}

}  // namespace strata::cupti_timeline
