// SPDX-License-Identifier: Apache-2.0
// Records in the run store how long each operator took, on every thread, and the device's activities, in the
// steps of the active window. Operators come from the source `torch` and are available on every machine;
// without a source of activities (`cupti`) only they are recorded. All conclusions are left to analysis
// (host/analysis/time).
//
// Threads: the listeners run on any thread. They fill a row on the stack and append it to the calling
// thread's spool: no lock, no allocation. The host keeps an operator's begin as the token for its end.
#pragma once

#include <atomic>
#include <cstdint>

#include "plugins/cupti_timeline/activity_tables.hpp"
#include "plugins/cupti_timeline/activity_window.hpp"
#include "plugins/cupti_timeline/op_tables.hpp"
#include "strata/plugin.hpp"

namespace strata::cupti_timeline {

class CuptiTimeline {
 public:
  static constexpr strata_descriptor kDescriptor{
      .struct_size = sizeof(strata_descriptor),
      .flags = 0,
      .id = "cupti_timeline",
      .version = "0.2.0",
      .summary = "How long each operator took, and what the GPU did meanwhile, by phase, layer and kernel",
      .options = nullptr,
      .option_count = 0,
      .reserved = 0};

  // [loop-thread] Declares the tables. Throws std::runtime_error if the host rejects one.
  explicit CuptiTimeline(const Host& host);

  void begin_step(const strata_when& when, const strata_step_info& step);
  void end_step(const strata_when& when, const strata_step_info& step, const strata_step_result& result);
  std::uint64_t begin_op(const strata_when& when, const strata_op_info& op) noexcept;
  void end_op(const strata_when& when, const strata_op_info& op, std::uint64_t token) noexcept;
  void on_activity(const strata_when& when, const strata_activity_event& activity) noexcept;

 private:
  const Host host_;
  const strata_window_service* steps_;
  Table<OpRow> ops_;
  Table<ProductRow> products_;
  Table<ActivityRow> activities_;
  Table<KernelRow> kernels_;
  ActivityWindow window_;
  std::atomic<std::uint64_t> activities_reported_{0};
};

}  // namespace strata::cupti_timeline
