// SPDX-License-Identifier: Apache-2.0
#include "plugins/allocator_tracer/tables.hpp"

namespace strata::allocator_tracer {
namespace {

constexpr const char* kSequenceHelp = "order of events in the run, over all threads";
constexpr const char* kTimeHelp = "on CLOCK_MONOTONIC";
constexpr const char* kThreadHelp = "the OS's thread id";
constexpr const char* kDeviceTypeHelp = "STRATA_DEVICE_*";
constexpr const char* kDeviceIndexHelp = "index of the device among devices of its type";
constexpr const char* kPhaseHelp = "ordinal of the driver's innermost phase; 0 outside";
constexpr const char* kOpHelp = "ordinal of the thread's innermost operator; 0 outside";
constexpr const char* kModuleHelp = "ordinal of the thread's innermost module range; 0 outside";

}  // namespace

Table<EventRow> event_table(const Host& host) {
  return {host,
          "event",
          "an allocation or a free of a block or segment",
          {STRATA_COLUMN(EventRow, sequence, STRATA_COLUMN_UINT64, "", kSequenceHelp),
           STRATA_COLUMN(EventRow, monotonic_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
           STRATA_COLUMN(EventRow, thread, STRATA_COLUMN_UINT32, "", kThreadHelp),
           STRATA_COLUMN(EventRow, action, STRATA_COLUMN_UINT32, "", "STRATA_MEMORY_*"),
           STRATA_COLUMN(EventRow, device_type, STRATA_COLUMN_UINT32, "", kDeviceTypeHelp),
           STRATA_COLUMN(EventRow, device_index, STRATA_COLUMN_UINT32, "", kDeviceIndexHelp),
           STRATA_COLUMN(EventRow, address, STRATA_COLUMN_UINT64, "", "of the block"),
           STRATA_COLUMN(EventRow, bytes, STRATA_COLUMN_UINT64, "bytes",
                         "requested bytes; 0 in a free if the source does not know them"),
           STRATA_COLUMN(EventRow, stream, STRATA_COLUMN_UINT64, "", "CUDA stream handle, else 0"),
           STRATA_COLUMN(EventRow, pool, STRATA_COLUMN_UINT64, "", "CUDA private pool id, else 0"),
           STRATA_COLUMN(
               EventRow, device_handed_out_bytes, STRATA_COLUMN_UINT64, "bytes",
               "bytes of all blocks that the device's allocator handed out before; 0: it keeps no count"),
           STRATA_COLUMN(EventRow, phase, STRATA_COLUMN_UINT32, "", kPhaseHelp),
           STRATA_COLUMN(EventRow, op, STRATA_COLUMN_UINT64, "", kOpHelp),
           STRATA_COLUMN(EventRow, module, STRATA_COLUMN_UINT32, "", kModuleHelp)}};
}

Table<FailureRow> failure_table(const Host& host) {
  return {host,
          "out_of_memory",
          "an allocation that failed; its event has the same sequence",
          {STRATA_COLUMN(FailureRow, sequence, STRATA_COLUMN_UINT64, "", kSequenceHelp),
           STRATA_COLUMN(FailureRow, device_type, STRATA_COLUMN_UINT32, "", kDeviceTypeHelp),
           STRATA_COLUMN(FailureRow, device_index, STRATA_COLUMN_UINT32, "", kDeviceIndexHelp),
           STRATA_COLUMN(FailureRow, bytes, STRATA_COLUMN_UINT64, "bytes", "as asked for"),
           STRATA_COLUMN(FailureRow, device_free_bytes, STRATA_COLUMN_UINT64, "bytes",
                         "free bytes reported by the device, for any process; 2^64 - 1: not reported")}};
}

Table<OpRow> op_table(const Host& host) {
  return {
      host,
      "op",
      "an operator that used memory or created a node of the backward graph, at its begin",
      {STRATA_COLUMN(OpRow, sequence, STRATA_COLUMN_UINT64, "", kSequenceHelp),
       STRATA_COLUMN(OpRow, monotonic_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
       STRATA_COLUMN(OpRow, thread, STRATA_COLUMN_UINT32, "", kThreadHelp),
       STRATA_COLUMN(OpRow, op, STRATA_COLUMN_UINT64, "", "ordinal, unique in a run"),
       STRATA_COLUMN(OpRow, parent, STRATA_COLUMN_UINT64, "", "ordinal of the enclosing operator; 0: none"),
       STRATA_COLUMN(OpRow, kind, STRATA_COLUMN_UINT32, "", "STRATA_OP_*"),
       STRATA_COLUMN(OpRow, name, STRATA_COLUMN_STRING, "", "the framework's name for it"),
       STRATA_COLUMN(OpRow, autograd_sequence, STRATA_COLUMN_INT64, "",
                     "autograd's number, which a backward node shares with its forward operator; -1: none"),
       STRATA_COLUMN(OpRow, forward_thread, STRATA_COLUMN_UINT64, "",
                     "the framework's number of the thread to which `autograd_sequence` belongs; 0: unknown"),
       STRATA_COLUMN(OpRow, phase, STRATA_COLUMN_UINT32, "", kPhaseHelp),
       STRATA_COLUMN(OpRow, module, STRATA_COLUMN_UINT32, "", kModuleHelp)}};
}

Table<SavedTensorRow> saved_table(const Host& host) {
  return {host,
          "saved",
          "autograd saved or released a storage",
          {STRATA_COLUMN(SavedTensorRow, sequence, STRATA_COLUMN_UINT64, "", kSequenceHelp),
           STRATA_COLUMN(SavedTensorRow, monotonic_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
           STRATA_COLUMN(SavedTensorRow, thread, STRATA_COLUMN_UINT32, "", kThreadHelp),
           STRATA_COLUMN(SavedTensorRow, action, STRATA_COLUMN_UINT32, "", "STRATA_GRAPH_*"),
           STRATA_COLUMN(SavedTensorRow, saved, STRATA_COLUMN_UINT64, "", "joins a release with its save"),
           STRATA_COLUMN(SavedTensorRow, device_type, STRATA_COLUMN_UINT32, "", kDeviceTypeHelp),
           STRATA_COLUMN(SavedTensorRow, device_index, STRATA_COLUMN_UINT32, "", kDeviceIndexHelp),
           STRATA_COLUMN(SavedTensorRow, address, STRATA_COLUMN_UINT64, "",
                         "address of the storage's first byte"),
           STRATA_COLUMN(SavedTensorRow, storage_bytes, STRATA_COLUMN_UINT64, "bytes",
                         "bytes of the whole storage"),
           STRATA_COLUMN(SavedTensorRow, phase, STRATA_COLUMN_UINT32, "", kPhaseHelp),
           STRATA_COLUMN(SavedTensorRow, op, STRATA_COLUMN_UINT64, "", kOpHelp),
           STRATA_COLUMN(SavedTensorRow, module, STRATA_COLUMN_UINT32, "", kModuleHelp)}};
}

}  // namespace strata::allocator_tracer
