// SPDX-License-Identifier: Apache-2.0
// Operators, modules and activities as time intervals with their position in the training.
#pragma once

#include <cstdint>

namespace strata::analysis {

// [begin, end).
struct Interval {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t length_ns() const { return end_ns - begin_ns; }
  bool operator==(const Interval&) const = default;
};

// The index of no row.
inline constexpr std::uint32_t kNoRow = UINT32_MAX;

struct OpSpan {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t self_ns = 0;  // without called operators
  std::uint64_t ordinal = 0;
  std::uint32_t parent = kNoRow;   // index of the enclosing operator on its thread
  std::uint32_t forward = kNoRow;  // index of the operator that made this backward node
  std::uint32_t thread = 0;
  std::uint32_t kind = 0;        // STRATA_OP_*
  std::uint32_t name = 0;        // a text of the recording
  std::uint32_t layer = 0;       // a text; 0: no module
  std::uint32_t phase = kNoRow;  // index of the innermost at its begin
  std::uint32_t step = kNoRow;   // index
  bool in_backward = false;      // it is a node of the backward graph, or called by one
  bool in_recompute = false;     // in a forward that is repeated in backward
  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

// The context in which an activity was requested.
struct ActivityPlace {
  std::uint32_t op = kNoRow;     // index of the innermost
  std::uint32_t phase = kNoRow;  // index of the innermost
  std::uint32_t layer = 0;       // a text; 0: no module
  std::uint32_t call = kNoRow;   // index of the API call with the same correlation, for device work
  bool operator==(const ActivityPlace&) const = default;
};

// A module that runs on a thread.
struct ModuleSpan {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t thread = 0;
  std::uint32_t path = 0;       // index into Facts::texts
  std::uint32_t direction = 0;  // STRATA_MODULE_*
};

}  // namespace strata::analysis
