// SPDX-License-Identifier: Apache-2.0
// The rows of device activities (strata/ext/activity.h) and their tables (docs/run-store.md).
#pragma once

#include <cstdint>

#include "strata/ext/activity.h"
#include "strata/table.hpp"

namespace strata::cupti_timeline {

struct ActivityRow {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::uint64_t activity;
  std::uint64_t stream;
  std::uint64_t correlation;
  std::uint64_t op;
  std::uint64_t bytes;
  std::uint64_t address;
  std::uint64_t graph;
  std::uint64_t graph_node;
  std::uint32_t kind;
  std::uint32_t detail;
  std::uint32_t name;
  std::uint32_t device_type;
  std::uint32_t device_index;
  std::uint32_t context;
  std::uint32_t thread;
  std::uint32_t phase;
  std::uint32_t module;
  std::uint32_t modelled;
};

struct KernelRow {
  std::uint64_t activity;
  std::uint32_t grid_x, grid_y, grid_z;
  std::uint32_t block_x, block_y, block_z;
  std::uint32_t registers;
  std::uint32_t static_shared_bytes;
  std::uint32_t dynamic_shared_bytes;
  std::uint32_t reserved;
};

// [loop-thread] Each throws std::runtime_error if the host rejects the table.
Table<ActivityRow> activity_table(const Host& host);
Table<KernelRow> kernel_table(const Host& host);

ActivityRow activity_row(const strata_activity_event& activity, std::uint64_t ordinal) noexcept;
KernelRow kernel_row(const strata_activity_event& kernel, std::uint64_t ordinal) noexcept;

}  // namespace strata::cupti_timeline
