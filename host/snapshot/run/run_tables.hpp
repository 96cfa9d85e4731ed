// SPDX-License-Identifier: Apache-2.0
// The tables of a converted run: those that the plugin allocator_tracer and the source torch write
// (docs/run-store.md), as far as a snapshot has their content, and what it alone has.
#pragma once

#include <cstdint>

#include "strata/runtime/converted_run.hpp"

namespace strata::snapshot {

struct EventRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t address, bytes, stream, pool, device_handed_out_bytes, op;
  std::uint32_t thread, action, device_type, device_index, phase, module;
};

struct FailureRow {
  std::uint64_t sequence, bytes, device_free_bytes;
  std::uint32_t device_type, device_index;
};

struct OpRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t op, parent;
  std::int64_t autograd_sequence;
  std::uint64_t forward_thread;
  std::uint32_t thread, kind, name, phase, module, reserved;
};

struct CudaAllocatorRow {
  std::uint32_t name, tracing;
};

struct PythonFrameRow {
  std::uint32_t frame, function, file, line;
};

struct PythonStackRow {
  std::uint32_t stack, position, frame, reserved;
};

struct EventStackRow {
  std::uint64_t sequence;
  std::uint32_t stack, reserved;
};

// What torch's snapshot says about an allocation.
struct NoteRow {
  std::uint64_t sequence;
  std::uint32_t category, user_metadata, compile_context, reserved;
};

// Handles for ConvertedRun::append.
struct RunTables {
  explicit RunTables(ConvertedRun& run);
  std::uint32_t event, failure, op, cuda_allocator, python_frame, python_stack, event_stack, note;
};

}  // namespace strata::snapshot
