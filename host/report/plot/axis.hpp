// SPDX-License-Identifier: Apache-2.0
// The positions and labels of an axis's ticks.
#pragma once

#include <string>
#include <vector>

namespace strata::report::plot {

struct Mark {
  double value = 0.0;
  std::string label;
};

struct Axis {
  double begin = 0.0, end = 0.0;
  std::vector<Mark> marks;  // from begin to end, at round values
  std::string unit;         // "MiB", "GiB"; "s", "ms", "µs"
};

// For bytes from 0 to `most`, in MiB or GiB; at most `wanted` marks above 0.
Axis bytes_axis(double most, int wanted);

// For nanoseconds from 0 to `length`.
Axis time_axis(double length, int wanted);

// For points between two values: from 0, or, if all are in the upper half, from the tick below the lowest.
Axis bytes_axis_of(double least, double most, int wanted);
Axis time_axis_of(double least, double most, int wanted);

// For counts from 0 to `most`.
Axis count_axis(double most, int wanted, std::string unit);

}  // namespace strata::report::plot
