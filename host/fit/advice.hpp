// SPDX-License-Identifier: Apache-2.0
// What each switch saves at the peak, alone and together, found by running every one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/fit/switches.hpp"

namespace strata::fit {

// A run of some steps.
struct Measurement {
  std::string
      problem;  // why there is none: a configuration that is refused, or a failure. Empty: there is one
  std::uint64_t allocated_bytes = 0;   // at the peak
  std::uint64_t reserved_bytes = 0;    // at most
  std::uint64_t needed_bytes = 0;      // of the device: what was reserved, and the context
  std::optional<double> step_ns = {};  // of the device, as its modelled clock has it

  bool is_there() const { return problem.empty(); }
};

// Some switches at once, by their indices; none: the configuration as it is.
struct Line {
  std::vector<std::size_t> switches;
  Measurement measured;
  bool fits = false;
};

struct Advice {
  Line base;
  std::vector<Line> alone;  // each switch that could be run, in their order
  std::vector<Line>
      together;  // one more switch a line, of those that keep the mathematics; what saved most first
  std::optional<Line> all;  // the last of these and, of the others, what saved most of each group
  // What makes it fit: of `alone` and `together` that with the least modelled time, mathematics kept if that
  // is enough, and without what is not needed for it. Nothing where it fits as it is, or nothing makes it
  // fit.
  std::optional<Line> least;
};

class Trials {
 public:
  virtual ~Trials() = default;
  // On a device of the same kind that never fills up.
  virtual Measurement measure(const std::vector<std::size_t>& switches) = 0;
  // Whether the same comes to its end on the device itself.
  virtual bool fits(const std::vector<std::size_t>& switches) = 0;
};

// `capacity_bytes` is the device's memory. A switch that is refused is left out. Throws what `trials` does.
Advice advise(const std::vector<Switch>& switches, std::uint64_t capacity_bytes, Trials& trials);

}  // namespace strata::fit
