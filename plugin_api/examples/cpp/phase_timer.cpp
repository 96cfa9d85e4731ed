// SPDX-License-Identifier: Apache-2.0
// The smallest useful plugin, in C++: the duration of each phase of each step, one row per phase.
//
//   plugins:
//     - phase_timer: {longer_than_ns: 100000}
//
// In the run store: SELECT step, name, duration_ns FROM phase_timer_phase.
#include <cstdint>

#include "strata/option.hpp"
#include "strata/plugin.hpp"

namespace {

struct PhaseRow {
  std::uint64_t step;
  std::int64_t duration_ns;
  std::uint32_t phase, name;
};

constexpr strata_option kOptions[] = {
    strata::option::integer("longer_than_ns", "0", "phases that took less are left out", 0, 1e18)};

class PhaseTimer {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), 0, "phase_timer", "1.0", "Time of each phase of each step", kOptions, 1, 0};

  explicit PhaseTimer(const strata::Host& host)
      : longer_than_ns_(host.integer("longer_than_ns")),
        table_(
            host, "phase", "a phase that ended",
            {STRATA_COLUMN(PhaseRow, step, STRATA_COLUMN_UINT64, "", "index of the step"),
             STRATA_COLUMN(PhaseRow, phase, STRATA_COLUMN_UINT32, "", "ordinal of the phase"),
             STRATA_COLUMN(PhaseRow, name, STRATA_COLUMN_STRING, "", "as the trainer named it"),
             STRATA_COLUMN(PhaseRow, duration_ns, STRATA_COLUMN_INT64, "ns", "from its begin to its end")}) {}

  // The token, which is passed to the end: when the phase began.
  std::uint64_t begin_phase(const strata_when& when, const strata_phase_info&) {
    return static_cast<std::uint64_t>(when.monotonic_ns);
  }

  void end_phase(const strata_when& when, const strata_phase_info& phase, std::uint64_t began_ns) {
    const std::int64_t duration_ns = when.monotonic_ns - static_cast<std::int64_t>(began_ns);
    if (duration_ns >= longer_than_ns_) table_.append({when.step, duration_ns, phase.ordinal, phase.name.id});
  }

 private:
  std::int64_t longer_than_ns_;
  strata::Table<PhaseRow> table_;
};

}  // namespace

STRATA_EXPORT_PLUGINS(PhaseTimer)
