// SPDX-License-Identifier: Apache-2.0
// The tracer's rows and tables (docs/run-store.md). Columns contain the constants of the headers in
// strata/ext; step, phase and so on come from the event's `strata_when`.
#pragma once

#include <cstdint>

#include "strata/table.hpp"

namespace strata::allocator_tracer {

struct EventRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t stream;
  std::uint64_t pool;
  std::uint64_t device_handed_out_bytes;
  std::uint64_t op;
  std::uint32_t thread;
  std::uint32_t action;
  std::uint32_t device_type;
  std::uint32_t device_index;
  std::uint32_t phase;
  std::uint32_t module;
};

// In addition to the event with the same sequence.
struct FailureRow {
  std::uint64_t sequence;
  std::uint64_t bytes;
  std::uint64_t device_free_bytes;
  std::uint32_t device_type;
  std::uint32_t device_index;
};

struct OpRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t op;
  std::uint64_t parent;
  std::int64_t autograd_sequence;
  std::uint64_t forward_thread;
  std::uint32_t thread;
  std::uint32_t kind;
  std::uint32_t name;
  std::uint32_t phase;
  std::uint32_t module;
  std::uint32_t reserved;
};

struct SavedTensorRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t saved;
  std::uint64_t address;
  std::uint64_t storage_bytes;
  std::uint64_t op;
  std::uint32_t thread;
  std::uint32_t action;
  std::uint32_t device_type;
  std::uint32_t device_index;
  std::uint32_t phase;
  std::uint32_t module;
};

// [loop-thread] Each throws std::runtime_error if the host rejects the table.
Table<EventRow> event_table(const Host& host);
Table<FailureRow> failure_table(const Host& host);
Table<OpRow> op_table(const Host& host);
Table<SavedTensorRow> saved_table(const Host& host);

}  // namespace strata::allocator_tracer
