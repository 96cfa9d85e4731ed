// SPDX-License-Identifier: Apache-2.0
// The course of the training: steps, phases, modules and operators. docs/run-store.md defines the columns;
// texts are indices into Recording::texts.
#pragma once

#include <cmath>
#include <cstdint>

namespace strata::analysis {

inline constexpr std::uint64_t kNever = UINT64_MAX;

// The path for the model itself, outside of its modules; its own path is empty.
inline constexpr const char* kModelItself = "(model)";

struct StepRow {
  std::int64_t step = 0;
  std::uint32_t schedule = 0;
  std::uint64_t begin_sequence = 0, end_sequence = kNever;
  std::int64_t begin_ns = 0, end_ns = INT64_MAX;
  std::int64_t worked_until_ns = INT64_MAX;  // of the last one: see steps/last_step.hpp
  double loss = std::nan("");
  std::uint64_t tokens = 0;
  bool is_followed = false;  // another step began after it, and was dropped because nothing was trained in it
};

struct PhaseRow {
  std::uint32_t ordinal = 0, parent = 0;
  std::uint32_t kind = 0;
  std::uint32_t name = 0;
  std::int64_t step = -1;
  std::uint32_t micro_batch = 0;
  bool inferred = false;  // not marked by the program
  std::uint64_t begin_sequence = 0, end_sequence = kNever;
  std::int64_t begin_ns = 0, end_ns = INT64_MAX;
};

struct ModuleRow {
  std::uint32_t ordinal = 0, parent = 0;
  std::uint32_t direction = 0;
  std::uint32_t path = 0;
  std::uint64_t begin_sequence = 0, end_sequence = kNever;
  std::int64_t begin_ns = 0, end_ns = INT64_MAX;
  std::uint32_t thread = 0;
};

struct OpRow {
  std::uint64_t sequence = 0;
  std::uint64_t ordinal = 0, parent = 0;
  std::int64_t autograd_sequence = -1;
  std::uint64_t forward_thread = 0;
  std::uint32_t thread = 0;
  std::uint32_t kind = 0;
  std::uint32_t name = 0;
  std::uint32_t module = 0;
};

// The number of bytes returned by a top-level operator.
struct LayerOutputRow {
  std::int64_t ns = 0;
  std::uint32_t name = 0;
  std::uint64_t bytes = 0;
};

// An epoch began with that step.
struct EpochRow {
  std::uint64_t sequence = 0;
  std::int64_t epoch = 0, step = 0;
};

}  // namespace strata::analysis
