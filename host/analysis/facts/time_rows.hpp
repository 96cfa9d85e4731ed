// SPDX-License-Identifier: Apache-2.0
// The rows of the plugin cupti_timeline, typed and in order. docs/run-store.md defines the columns; texts are
// indices into Recording::texts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace strata::analysis {

struct OpTimeRow {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint64_t ordinal = 0, parent = 0;
  std::int64_t autograd_sequence = -1;
  std::uint64_t forward_thread = 0;
  std::uint32_t thread = 0, kind = 0;
  std::uint32_t name = 0;
  std::uint32_t module = 0;
};

struct ProductRow {
  std::uint64_t op = 0;
  std::uint64_t bytes = 0;
  std::uint32_t batch = 0, m = 0, n = 0, k = 0;
  std::uint32_t products = 0, element_bytes = 0;
};

struct KernelLaunch {
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t registers = 0, static_shared_bytes = 0, dynamic_shared_bytes = 0;
};

struct ActivityRow {
  std::uint64_t ordinal = 0;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint64_t stream = 0, correlation = 0, op = 0, bytes = 0, graph = 0;
  std::uint32_t kind = 0, detail = 0;
  std::uint32_t name = 0;
  std::uint32_t device = 0;  // index
  std::uint32_t thread = 0, phase = 0, module = 0;
  std::uint32_t launch = 0;  // index into TimeRows::launches + 1; 0: none
  bool modelled = false;
};

// A row of cupti_capture (docs/cupti.md#whether-anything-is-missing), the part about missing records.
struct Capture {
  std::uint64_t activities = 0;
  std::uint64_t dropped = 0;          // records without a buffer
  std::uint64_t refused_buffers = 0;  // with an unknown number of records
  std::uint64_t without_times = 0, without_call = 0, lost_origins = 0;
  std::uint64_t broken_buffers = 0, late_buffers = 0, skipped_bytes = 0;
  std::string reason;  // why nothing was recorded; empty: it was
};

struct TimeRows {
  bool recorded = false;                // the plugin was loaded, even if it got no events
  std::vector<OpTimeRow> ops;           // by ordinal, which is the order of begin
  std::vector<ProductRow> products;     // by op
  std::vector<ActivityRow> activities;  // by begin
  std::vector<KernelLaunch> launches;
  std::vector<Capture> captures;
};

// Whether an activity of that kind is on a device's timeline, and not on a thread's.
bool is_device_work(std::uint32_t activity_kind);

}  // namespace strata::analysis
