// SPDX-License-Identifier: Apache-2.0
// The rows of the host_* tables (docs/run-store.md), and their declarations.
#pragma once

#include <cstdint>

namespace strata {

class Store;

struct ClockRow {
  std::int64_t monotonic_ns, realtime_ns;
};

struct RunMomentRow {  // host_run_begin, host_run_ready
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
};

struct RunEndRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint32_t reason, unused;
};

struct StepBeginRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t step;
  std::uint32_t schedule, micro_batches;
};

struct EpochRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t epoch, step;
};

struct StepEndRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t step;
  double loss;
  std::uint64_t tokens;
  std::uint32_t optimizer_ran, unused;
};

struct PhaseBeginRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns, step;
  std::uint32_t phase, parent, kind, name, inferred, micro_batch;
};

struct PhaseEndRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint32_t phase, unused;
};

struct ModuleBeginRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint32_t module, parent, direction, path, type, thread, phase, unused;
};

struct ModuleEndRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint32_t module, unused;
};

struct TensorRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t address, storage_bytes, owner_address;
  std::int64_t device_index;
  std::uint32_t thread, role, name, dtype, shape, device_type, phase, is_frozen;
};

// Handles for Store::append.
struct RecorderTables {
  // Throws std::invalid_argument if the store rejects a table.
  explicit RecorderTables(Store& store);

  std::uint32_t clock, run_begin, run_ready, run_end, step_begin, step_end, phase_begin, phase_end,
      module_begin, module_end, tensor, epoch;
};

}  // namespace strata
