// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/run/run_tables.hpp"

#include <array>
#include <cstddef>

#include "strata/ext/store.h"

namespace strata::snapshot {
namespace {

constexpr auto kU32 = STRATA_COLUMN_UINT32;
constexpr auto kI64 = STRATA_COLUMN_INT64;
constexpr auto kU64 = STRATA_COLUMN_UINT64;
constexpr auto kString = STRATA_COLUMN_STRING;

constexpr const char* kTracer = "allocator_tracer";
constexpr const char* kTorch = "torch";
constexpr const char* kSequence = "order of events in the run";
constexpr const char* kTime = "as CLOCK_MONOTONIC";
constexpr const char* kEmpty = "always 0: a snapshot does not have it";

template <typename Row, std::size_t Count>
std::uint32_t declare(ConvertedRun& run, const char* plugin, const char* name, const char* help,
                      const std::array<strata_column, Count>& columns) {
  const strata_table table = {sizeof(strata_table), sizeof(Row), name, help, columns.data(), Count, 0};
  return run.declare(plugin, table);
}

#define COLUMN(field, type, unit, help) strata_column STRATA_COLUMN(Row, field, type, unit, help)

std::uint32_t declare_event(ConvertedRun& run) {
  using Row = EventRow;
  return declare<Row>(
      run, kTracer, "event", "an allocation or a free of a block or segment",
      std::array{COLUMN(sequence, kU64, "", kSequence), COLUMN(monotonic_ns, kI64, "ns", kTime),
                 COLUMN(thread, kU32, "", kEmpty), COLUMN(action, kU32, "", "STRATA_MEMORY_*"),
                 COLUMN(device_type, kU32, "", "STRATA_DEVICE_*"),
                 COLUMN(device_index, kU32, "", "index of the device among devices of its type"),
                 COLUMN(address, kU64, "", "of the block"), COLUMN(bytes, kU64, "bytes", "requested bytes"),
                 COLUMN(stream, kU64, "", "CUDA stream handle"),
                 COLUMN(pool, kU64, "", "CUDA private pool id"),
                 COLUMN(device_handed_out_bytes, kU64, "bytes",
                        "bytes of all blocks that the device's allocator handed out before"),
                 COLUMN(phase, kU32, "", kEmpty), COLUMN(op, kU64, "", "ordinal of the innermost annotation"),
                 COLUMN(module, kU32, "", kEmpty)});
}

std::uint32_t declare_failure(ConvertedRun& run) {
  using Row = FailureRow;
  return declare<Row>(
      run, kTracer, "out_of_memory", "an allocation that failed; its event has the same sequence",
      std::array{COLUMN(sequence, kU64, "", kSequence), COLUMN(device_type, kU32, "", "STRATA_DEVICE_*"),
                 COLUMN(device_index, kU32, "", "index of the device among devices of its type"),
                 COLUMN(bytes, kU64, "bytes", "as asked for"),
                 COLUMN(device_free_bytes, kU64, "bytes", "free bytes reported by the device")});
}

std::uint32_t declare_op(ConvertedRun& run) {
  using Row = OpRow;
  return declare<Row>(
      run, kTracer, "op", "a range that the program named, at its begin",
      std::array{COLUMN(sequence, kU64, "", kSequence), COLUMN(monotonic_ns, kI64, "ns", kTime),
                 COLUMN(thread, kU32, "", kEmpty), COLUMN(op, kU64, "", "ordinal, unique in a run"),
                 COLUMN(parent, kU64, "", "ordinal of the enclosing one; 0: none"),
                 COLUMN(kind, kU32, "", "STRATA_OP_*"),
                 COLUMN(name, kString, "", "the program's name for it"),
                 COLUMN(autograd_sequence, kI64, "", "-1: none"), COLUMN(forward_thread, kU64, "", kEmpty),
                 COLUMN(phase, kU32, "", kEmpty), COLUMN(module, kU32, "", kEmpty)});
}

std::uint32_t declare_cuda_allocator(ConvertedRun& run) {
  using Row = CudaAllocatorRow;
  return declare<Row>(run, kTorch, "cuda_allocator", "torch's CUDA allocator",
                      std::array{COLUMN(name, kString, "", "native: only this one makes snapshots"),
                                 COLUMN(tracing, kU32, "", "1: it reported blocks and segments")});
}

std::uint32_t declare_python_frame(ConvertedRun& run) {
  using Row = PythonFrameRow;
  return declare<Row>(
      run, kTorch, "python_frame", "a frame that appears in stacks",
      std::array{COLUMN(frame, kU32, "", "count from 1"),
                 COLUMN(function, kString, "", "of Python or of C++"),
                 COLUMN(file, kString, "", "empty: unknown"), COLUMN(line, kU32, "", "in the file")});
}

std::uint32_t declare_python_stack(ConvertedRun& run) {
  using Row = PythonStackRow;
  return declare<Row>(
      run, kTorch, "python_stack", "a frame of a stack; each stack is written once",
      std::array{COLUMN(stack, kU32, "", "count from 1"), COLUMN(position, kU32, "", "0 is the innermost"),
                 COLUMN(frame, kU32, "", "of torch_python_frame")});
}

std::uint32_t declare_event_stack(ConvertedRun& run) {
  using Row = EventStackRow;
  return declare<Row>(run, kTorch, "event_python_stack", "where the program was at an allocation",
                      std::array{COLUMN(sequence, kU64, "", "of the event"),
                                 COLUMN(stack, kU32, "", "of torch_python_stack")});
}

std::uint32_t declare_note(ConvertedRun& run) {
  using Row = NoteRow;
  return declare<Row>(run, kTorch, "snapshot_note", "what a snapshot says about an allocation",
                      std::array{COLUMN(sequence, kU64, "", "of the event"),
                                 COLUMN(category, kString, "", "torch's category; empty: none"),
                                 COLUMN(user_metadata, kString, "", "the program's text; empty: none"),
                                 COLUMN(compile_context, kString, "", "torch.compile's; empty: none")});
}

}  // namespace

RunTables::RunTables(ConvertedRun& run)
    : event(declare_event(run)),
      failure(declare_failure(run)),
      op(declare_op(run)),
      cuda_allocator(declare_cuda_allocator(run)),
      python_frame(declare_python_frame(run)),
      python_stack(declare_python_stack(run)),
      event_stack(declare_event_stack(run)),
      note(declare_note(run)) {}

}  // namespace strata::snapshot
