// SPDX-License-Identifier: Apache-2.0
// The rows of the plugin allocator_tracer: allocations and their owners. docs/run-store.md defines the
// columns; texts are indices into Recording::texts.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "host/analysis/facts/tensor_form.hpp"

namespace strata::analysis {

struct Device {
  std::uint32_t type = 0;  // STRATA_DEVICE_*
  std::int32_t index = 0;
  auto operator<=>(const Device&) const = default;
};

struct TensorRow {
  std::uint64_t sequence = 0;
  std::uint32_t role = 0;
  std::uint32_t name = 0;
  Device device;
  std::uint64_t address = 0, owner_address = 0;
  TensorForm form = {};
  bool is_frozen = false;
};

struct MemoryRow {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint32_t thread = 0;
  std::uint32_t action = 0;
  Device device;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t handed_out_bytes = 0;  // by the device's allocator before this event; 0: it does not count
  std::uint64_t op = 0;
  std::uint32_t phase = 0, module = 0;
  std::uint64_t stream = 0, pool = 0;  // of a caching allocator's block
  std::uint64_t rounding_bytes = 0;    // of `bytes`, added by the allocator
};

struct FailureRow {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  Device device;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> device_free_bytes;
  std::uint64_t largest_gap_bytes = 0;  // see find_gaps
  std::uint64_t op = 0;
  std::uint32_t module = 0;
};

struct SavedTensorRow {
  std::uint64_t sequence = 0;
  std::uint32_t action = 0;
  std::uint32_t module = 0;
  std::uint64_t saved = 0;
  Device device;
  std::uint64_t address = 0;
};

// A report by c10's own memory reporting, the independent count.
struct MemoryReportRow {
  std::uint64_t sequence = 0;
  std::uint32_t thread = 0;
  Device device;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;  // negative for a free
  std::uint64_t allocated_bytes = 0;
};

// What a snapshot of torch.cuda.memory says about an allocation; texts, 0: nothing.
struct SnapshotNoteRow {
  std::uint64_t sequence = 0;
  std::uint32_t category = 0, user_metadata = 0, compile_context = 0;
};

}  // namespace strata::analysis
