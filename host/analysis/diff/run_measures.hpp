// SPDX-License-Identifier: Apache-2.0
// The numbers by which two runs are compared, with the names used in gates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata::analysis {

struct Facts;

enum class MeasureUnit : std::uint8_t { kBytes, kNanoseconds, kPerSecond };
// "bytes", "ns", "per_second"
const char* to_string(MeasureUnit unit);

struct RunMeasure {
  std::string name;  // "peak_allocated", "category.Activation", "layer.layers.*.attn", "phase.forward"
  MeasureUnit unit{};
  std::optional<double> value;  // empty: not recorded by the run
};

// The values of two runs, base and new. A category, kind or layer that a run does not have is 0 bytes if its
// memory was traced.
struct MeasureChange {
  std::string name;
  MeasureUnit unit{};
  std::optional<double> base, now;

  std::optional<double> change() const { return base && now ? std::optional(*now - *base) : std::nullopt; }
};

// The measures of a run:
//   peak_allocated, peak_reserved, peak_requested, peak_device_used, peak_resident   of the window
//   run_peak_allocated, run_peak_reserved, run_peak_device_used   of the whole run
//   step_time          median of the window's completed steps
//   throughput         tokens or images per second; not of dry runs
//   category.<name>, kind.<category>.<kind>, layer.<path>   at the peak; a layer without its sublayers, and
//   with
//                      "*" for each number in its path
//   phase.<name>       its time per step, median of the same steps
std::vector<RunMeasure> run_measures(const Facts& facts);

// By name, in the base's order, followed by those only in the new run.
std::vector<MeasureChange> compare_measures(const Facts& base, const Facts& now);

}  // namespace strata::analysis
