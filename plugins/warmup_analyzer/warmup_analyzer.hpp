// SPDX-License-Identifier: Apache-2.0
// Records data that explain why the first steps of a run take longer: counters at the begin and end of steps
// and phases, the operators' first calls, opened libraries, and one-time work of a device's driver. Analysis
// draws the conclusions (host/analysis/warm_up).
//
// Only the first steps (`steps`) are examined closely; later a step costs two samples and an operator a
// branch.
#pragma once

#include <array>
#include <cstdint>

#include "plugins/warmup_analyzer/activity_log.hpp"
#include "plugins/warmup_analyzer/counters.hpp"
#include "plugins/warmup_analyzer/first_calls.hpp"
#include "plugins/warmup_analyzer/library_log.hpp"
#include "plugins/warmup_analyzer/tables.hpp"
#include "strata/option.hpp"
#include "strata/plugin.hpp"

namespace strata::warmup_analyzer {

inline constexpr std::array kOptions{option::integer(
    "steps", "32",
    "Analyze this many steps phase by phase, and this many steps with recorded operators (trace.ops) "
    "operator by operator; of later steps, analyze every sixteenth phase by phase.",
    1, 1 << 20)};

class WarmupAnalyzer {
 public:
  // Whole run: the first steps are those before the window.
  static constexpr strata_descriptor kDescriptor{
      .struct_size = sizeof(strata_descriptor),
      .flags = STRATA_DESCRIPTOR_WHOLE_RUN,
      .id = "warmup_analyzer",
      .version = "0.2.0",
      .summary = "Why the first steps are slow, and from which step on the run is steady",
      .options = kOptions.data(),
      .option_count = kOptions.size(),
      .reserved = 0};

  // [loop-thread] Declares the tables. Throws std::runtime_error if the host rejects one.
  explicit WarmupAnalyzer(const Host& host);

  void begin_run(const strata_when& when, const strata_run_info& run);
  void ready(const strata_when& when);
  void begin_step(const strata_when& when, const strata_step_info& step);
  void end_step(const strata_when& when, const strata_step_info& step, const strata_step_result& result);
  void begin_phase(const strata_when& when, const strata_phase_info& phase);
  void end_phase(const strata_when& when, const strata_phase_info& phase);
  std::uint64_t begin_op(const strata_when& when, const strata_op_info& op) noexcept;
  void end_op(const strata_when& when, const strata_op_info& op, std::uint64_t token) noexcept;
  void on_activity(const strata_when& when, const strata_activity_event& activity) const noexcept;

 private:
  void measure_costs();
  void sample(const strata_when& when, Edge edge, std::uint32_t phase = STRATA_NONE);

  Table<SampleRow> samples_;
  Table<CostRow> costs_;
  LibraryLog libraries_;
  FirstCalls calls_;
  ActivityLog activities_;
  RunQueueWait wait_;
  std::uint64_t steps_;
  std::uint64_t steps_seen_ = 0, steps_with_operators_ = 0;
  bool looks_at_phases_ = true;
};

}  // namespace strata::warmup_analyzer
