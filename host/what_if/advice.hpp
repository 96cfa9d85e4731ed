// SPDX-License-Identifier: Apache-2.0
// What each change saves at the peak, alone and together, found by running every one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/what_if/change.hpp"

namespace strata::what_if {

// A run of some steps.
struct Measurement {
  std::string problem;  // why there is none: a change that is refused, or a failure. Empty: there is one
  std::uint64_t allocated_bytes = 0;   // at the peak
  std::uint64_t reserved_bytes = 0;    // at most
  std::uint64_t needed_bytes = 0;      // of the device: what was reserved, and the context
  std::optional<double> step_ns = {};  // of the device, as its modelled clock has it

  bool is_there() const { return problem.empty(); }
};

// Some changes at once, by their indices; none: the training as it is.
using Selection = std::vector<std::size_t>;

struct Line {
  Selection changes;
  Measurement measured;
  bool fits = false;
};

// A change that could not be made, or would change nothing.
struct Refusal {
  std::size_t change = 0;
  std::string problem;
};

struct Advice {
  Line base;
  std::vector<Line> alone;  // each change that could be run, in their order
  std::vector<Refusal> refused;
  std::vector<Line>
      together;  // one more change a line, of those that keep the mathematics; what saved most first
  std::optional<Line> all;  // the last of these and, of the others, what saved most of each group
  // What makes it fit: of `alone` and `together` that with the least modelled time, mathematics kept if that
  // is enough, and without what is not needed for it. Nothing where it fits as it is, or nothing makes it
  // fit.
  std::optional<Line> least;
};

class Trials {
 public:
  virtual ~Trials() = default;
  // On a device of the same kind that never fills up. The training as it is comes first and alone; those of
  // one call do not depend on each other.
  virtual std::vector<Measurement> measure(const std::vector<Selection>& selections) = 0;
  // Those that may be tried, once the training has been measured as it is. They stay.
  virtual const std::vector<Change>& changes() const = 0;
  // Whether the same comes to its end on the device itself.
  virtual bool fits(const Selection& selection) = 0;
};

// Below it a change saves nothing worth naming.
inline constexpr std::uint64_t kLeastSaving = std::uint64_t{1} << 20;

// `capacity_bytes` is the device's memory. Throws what `trials` does.
Advice advise(std::uint64_t capacity_bytes, Trials& trials);

}  // namespace strata::what_if
