// SPDX-License-Identifier: Apache-2.0
// The rows of stacks, in separate tables: a run without stacks does not have them.
#pragma once

#include <cstdint>

#include "strata/plugin.hpp"

namespace strata::allocator_tracer {

struct EventStackRow {
  std::uint64_t sequence;
  std::uint64_t stack;
  double chance;
};

struct StackFrameRow {
  std::uint64_t stack;
  std::uint64_t address;
  std::uint32_t position;
  std::uint32_t reserved;
};

struct LibraryRow {
  std::uint64_t base;
  std::uint64_t begin_address;
  std::uint64_t end_address;
  std::int64_t modified_ns;
  std::uint32_t path;
  std::uint32_t build_id;
};

Table<EventStackRow> event_stack_table(const Host& host);
Table<StackFrameRow> stack_frame_table(const Host& host);
Table<LibraryRow> library_table(const Host& host);

}  // namespace strata::allocator_tracer
