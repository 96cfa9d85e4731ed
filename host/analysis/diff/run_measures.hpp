// SPDX-License-Identifier: Apache-2.0
// The numbers by which two runs are compared, each by the name that a gate calls it.
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
  std::optional<double> value;  // nothing: the run did not record it
};

// The same for two runs, the base's and the new one's. A category, a kind or a layer that one of them lacks
// is 0 bytes in it, where its memory was traced.
struct MeasureChange {
  std::string name;
  MeasureUnit unit{};
  std::optional<double> base, now;

  std::optional<double> change() const { return base && now ? std::optional(*now - *base) : std::nullopt; }
};

// Of a run:
//   peak_allocated, peak_reserved, peak_requested, peak_device_used, peak_resident   of the window
//   run_peak_allocated, run_peak_reserved, run_peak_device_used   of all of the run
//   step_time          median of the window's steps that came to their end
//   throughput         tokens or images a second; of no dry run
//   category.<name>, kind.<category>.<kind>, layer.<path>   at the peak; a layer without what is below it,
//                      and with "*" for each number in its path
//   phase.<name>       time in it a step, the median of the same steps
std::vector<RunMeasure> run_measures(const Facts& facts);

// By name, in the base's order, and behind it what the new run has more.
std::vector<MeasureChange> compare_measures(const Facts& base, const Facts& now);

}  // namespace strata::analysis
