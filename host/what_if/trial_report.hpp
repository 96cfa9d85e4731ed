// SPDX-License-Identifier: Apache-2.0
// The memory that some steps of a training needed on a dry device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/analysis/facts/category.hpp"

namespace strata::what_if {

// The memory alive when an allocation failed.
struct TrialFailure {
  std::uint64_t requested_bytes = 0;
  std::string op, layer, phase;  // that requested it; empty: unknown
  std::uint64_t allocated_bytes = 0;
  analysis::CategoryBytes held{};
};

struct TrialReport {
  bool fits = false;
  std::optional<std::uint32_t> rank;     // that these are of, where several trained
  std::uint64_t memory_bytes = 0;        // of the device
  std::uint64_t context_bytes = 0;       // part taken by the process itself
  std::uint64_t allocated_bytes = 0;     // at the peak
  std::uint64_t reserved_bytes = 0;      // maximum
  analysis::CategoryBytes categories{};  // at the peak
  std::optional<double> step_ns;         // of the device, with a modelled clock
  std::optional<TrialFailure> failure;   // if it does not fit

  std::uint64_t needed_bytes() const { return reserved_bytes + context_bytes; }
};

}  // namespace strata::what_if
