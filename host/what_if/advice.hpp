// SPDX-License-Identifier: Apache-2.0
// The savings of each change at the peak, alone and combined, found by running all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/what_if/change.hpp"

namespace strata::what_if {

// The result of running some steps.
struct Measurement {
  std::string problem;  // why it failed: an impossible change, or another failure; empty: success
  std::uint64_t allocated_bytes = 0;   // at the peak
  std::uint64_t reserved_bytes = 0;    // maximum
  std::uint64_t needed_bytes = 0;      // of the device: reserved memory plus the context
  std::optional<double> step_ns = {};  // of the device, from its modelled clock

  bool is_there() const { return problem.empty(); }
};

// A set of changes, by index; empty: the unchanged training.
using Selection = std::vector<std::size_t>;

struct Line {
  Selection changes;
  Measurement measured;
  bool fits = false;
};

// A change that is impossible, or has no effect.
struct Refusal {
  std::size_t change = 0;
  std::string problem;
};

struct Advice {
  Line base;
  std::vector<Line> alone;  // each change that could be run, in order
  std::vector<Refusal> refused;
  std::vector<Line>
      together;  // one more change per line, without changes to the mathematics; largest saving first
  std::optional<Line> all;  // the last of these, plus the most effective one of each other group
  // The smallest change that makes it fit: the line of `alone` and `together` with the least modelled time,
  // without changes to the mathematics if possible, and without unnecessary changes. Empty if it fits
  // unchanged, or nothing makes it fit.
  std::optional<Line> least;
};

class Trials {
 public:
  virtual ~Trials() = default;
  // On a device of the same kind with unlimited memory. The unchanged training comes first and alone; the
  // selections of one call are independent.
  virtual std::vector<Measurement> measure(const std::vector<Selection>& selections) = 0;
  // The changes to try, known once the unchanged training has been measured. Constant afterwards.
  virtual const std::vector<Change>& changes() const = 0;
  // Whether it runs to its end on the device itself.
  virtual bool fits(const Selection& selection) = 0;
};

// Smaller savings are not reported.
inline constexpr std::uint64_t kLeastSaving = std::uint64_t{1} << 20;

// `capacity_bytes` is the device's memory. Throws the exceptions of `trials`.
Advice advise(std::uint64_t capacity_bytes, Trials& trials);

}  // namespace strata::what_if
