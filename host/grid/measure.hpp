// SPDX-License-Identifier: Apache-2.0
// The numbers of a cell that a grid compares, as its run's summary.json has them.
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
  kStepTime,          // median; in a dry run the host's part alone
  kModelledStepTime,  // of a dry device, by the modelled clock
  kThroughput,        // tokens or images a second, over the window; none in a dry run
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

// Nothing for what was not recorded.
class Measures {
 public:
  std::optional<double>& operator[](Measure measure) { return values_[static_cast<std::size_t>(measure)]; }
  const std::optional<double>& operator[](Measure measure) const {
    return values_[static_cast<std::size_t>(measure)];
  }

 private:
  std::array<std::optional<double>, kMeasures> values_{};
};

// What filled the device when an allocation failed.
struct OutOfMemory {
  std::uint64_t requested_bytes = 0;
  std::uint64_t allocated_bytes = 0;  // by the run, just then
  std::string op, layer, phase;
  std::int64_t step = -1;  // -1: outside of any
  std::string filled_by;   // "Activation 61%, Parameter 20%, ..."
};

struct RunResult {
  Measures measures;
  bool measured = true;                      // false: a dry run, whose times are the host's part alone
  std::optional<OutOfMemory> out_of_memory;  // the last allocation that failed
};

// Of a run's folder. Nothing where there is no whole summary.json.
std::optional<RunResult> read_result(const std::filesystem::path& run);

}  // namespace strata::grid
