// SPDX-License-Identifier: Apache-2.0
// Operators, modules and activities as intervals of time that know where in the training they lie.
#pragma once

#include <cstdint>

namespace strata::analysis {

// From begin up to, not with, end.
struct Interval {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t length_ns() const { return end_ns - begin_ns; }
  bool operator==(const Interval&) const = default;
};

// What names no row.
inline constexpr std::uint32_t kNoRow = UINT32_MAX;

struct OpSpan {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t self_ns = 0;  // without the operators that it called
  std::uint64_t ordinal = 0;
  std::uint32_t parent = kNoRow;   // index of the operator around it, on its thread
  std::uint32_t forward = kNoRow;  // index of the operator that made this backward node
  std::uint32_t thread = 0;
  std::uint32_t kind = 0;        // STRATA_OP_*
  std::uint32_t name = 0;        // a text of the recording
  std::uint32_t layer = 0;       // a text; 0: of no module
  std::uint32_t phase = kNoRow;  // index of the innermost at its begin
  std::uint32_t step = kNoRow;   // index
  bool in_backward = false;      // it is a node of the backward graph, or called by one
  bool in_recompute = false;     // of a forward that runs again within backward
  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

// Under what an activity was asked for.
struct ActivityPlace {
  std::uint32_t op = kNoRow;     // index of the innermost
  std::uint32_t phase = kNoRow;  // index of the innermost
  std::uint32_t layer = 0;       // a text; 0: of no module
  std::uint32_t call = kNoRow;   // index of the API call with its correlation, of what a device did
  bool operator==(const ActivityPlace&) const = default;
};

// A module at work on a thread.
struct ModuleSpan {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t thread = 0;
  std::uint32_t path = 0;       // index into Facts::texts
  std::uint32_t direction = 0;  // STRATA_MODULE_*
};

}  // namespace strata::analysis
