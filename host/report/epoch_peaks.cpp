// SPDX-License-Identifier: Apache-2.0
#include "host/report/epoch_peaks.hpp"

#include <fmt/format.h>

#include <array>

namespace strata::report {

std::string epoch_peaks(const std::vector<analysis::Scope>& scopes) {
  using analysis::Measure;
  static constexpr std::array kColumns{Measure::kAllocated, Measure::kRequested, Measure::kReserved,
                                       Measure::kDeviceUsed, Measure::kResident};
  std::string text;
  for (const analysis::Scope& scope : scopes) {
    if (scope.kind != analysis::ScopeKind::kEpoch) continue;
    if (text.empty()) {
      text =
          "epoch,peak_memory_bytes,peak_requested_bytes,peak_reserved_bytes,peak_device_used_bytes,"
          "peak_resident_bytes,first_step,last_step\n";
    }
    text += fmt::format("{}", scope.index);
    for (const Measure measure : kColumns)
      text += scope[measure] ? fmt::format(",{}", scope[measure]->peak_bytes) : std::string(",");
    text += fmt::format(",{},{}\n", scope.first_step, scope.last_step);
  }
  return text;
}

}  // namespace strata::report
