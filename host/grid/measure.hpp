// SPDX-License-Identifier: Apache-2.0
// The numbers of a cell that a grid compares, from its run's summary.json.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace strata::grid {

enum class Measure {
  kPeakAllocated,
  kPeakReserved,
  kPeakRequested,
  kPeakDeviceUsed,
  kPeakResident,
  kStepTime,          // median; in a dry run only the host's part
  kModelledStepTime,  // of a dry device, from the modelled clock
  kThroughput,        // tokens or images per second, over the window; none in a dry run
  kWallTime,          // of the cell's process, begin to end
  kLoss               // of the last step that has one; none in a dry run
};

enum class Unit { kBytes, kNanoseconds, kPerSecond, kNone };

struct MeasureName {
  Measure measure;
  std::string_view name;  // "peak_allocated", as in `strata diff`
  Unit unit;
  bool less_is_better;
};

inline constexpr std::array kMeasureNames{
    MeasureName{Measure::kPeakAllocated, "peak_allocated", Unit::kBytes, true},
    MeasureName{Measure::kPeakReserved, "peak_reserved", Unit::kBytes, true},
    MeasureName{Measure::kPeakRequested, "peak_requested", Unit::kBytes, true},
    MeasureName{Measure::kPeakDeviceUsed, "peak_device_used", Unit::kBytes, true},
    MeasureName{Measure::kPeakResident, "peak_resident", Unit::kBytes, true},
    MeasureName{Measure::kStepTime, "step_time", Unit::kNanoseconds, true},
    MeasureName{Measure::kModelledStepTime, "modelled_step_time", Unit::kNanoseconds, true},
    MeasureName{Measure::kThroughput, "throughput", Unit::kPerSecond, false},
    MeasureName{Measure::kWallTime, "wall_time", Unit::kNanoseconds, true},
    MeasureName{Measure::kLoss, "loss", Unit::kNone, true}};
inline constexpr std::size_t kMeasures = kMeasureNames.size();

std::string_view name_of(Measure measure);
const MeasureName* find_measure(std::string_view name);

// Empty for values that were not recorded.
class Measures {
 public:
  std::optional<double>& operator[](Measure measure) { return values_[static_cast<std::size_t>(measure)]; }
  const std::optional<double>& operator[](Measure measure) const {
    return values_[static_cast<std::size_t>(measure)];
  }

 private:
  std::array<std::optional<double>, kMeasures> values_{};
};

// The memory alive when an allocation failed.
struct OutOfMemory {
  std::uint64_t requested_bytes = 0;
  std::uint64_t allocated_bytes = 0;  // by the run at that moment
  std::string op, layer, phase;
  std::int64_t step = -1;  // -1: outside of any
  std::int64_t rank = -1;  // -1: the only one
  std::string filled_by;   // "Activation 61%, Parameter 20%, ..."
};

struct RunResult {
  Measures measures;
  bool measured = true;                      // false: a dry run, whose times contain only the host's part
  std::optional<OutOfMemory> out_of_memory;  // the last failed allocation
};

// For a run's folder. Of several ranks, the most memory and modelled time that any of them needs, and the
// rest of the first. Empty if there is no complete summary.json.
std::optional<RunResult> read_result(const std::filesystem::path& run);

}  // namespace strata::grid
