// SPDX-License-Identifier: Apache-2.0
// What some steps of a training needed of a dry device's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/analysis/facts/category.hpp"

namespace strata::what_if {

// What filled the device when an allocation failed.
struct TrialFailure {
  std::uint64_t requested_bytes = 0;
  std::string op, layer, phase;  // that asked; empty: not known
  std::uint64_t allocated_bytes = 0;
  analysis::CategoryBytes held{};
};

struct TrialReport {
  bool fits = false;
  std::uint64_t memory_bytes = 0;        // of the device
  std::uint64_t context_bytes = 0;       // of it taken by the process itself
  std::uint64_t allocated_bytes = 0;     // at the peak
  std::uint64_t reserved_bytes = 0;      // at most
  analysis::CategoryBytes categories{};  // at the peak
  std::optional<double> step_ns;         // of the device, where its clock is modelled
  std::optional<TrialFailure> failure;   // where it does not fit

  std::uint64_t needed_bytes() const { return reserved_bytes + context_bytes; }
};

}  // namespace strata::what_if
