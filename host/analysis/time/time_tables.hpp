// SPDX-License-Identifier: Apache-2.0
// The summaries of a run's times, each of one kind of thing, over the steps of the window.
#pragma once

#include <optional>
#include <vector>

#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/time/run_times.hpp"

namespace strata::analysis {

struct Recording;

// In the order in which they first begin, those within a phase behind it.
std::vector<PhaseTime> phase_times(const RunTimes& times);

// Those that devices worked for but no operator is known of are under "(unknown)".
std::vector<LayerTime> layer_times(const RunTimes& times);

std::vector<OpTime> op_times(const RunTimes& times);

// With names as people read them.
std::vector<KernelTime> kernel_times(const RunTimes& times);

// Calls of that STRATA_ACTIVITY_*, by name.
std::vector<CallTime> call_times(const RunTimes& times, std::uint32_t kind);

std::vector<StepTime> step_times(const RunTimes& times);

// Whether operators compute in the time that they take, and do not only ask a device to.
bool host_computes(const Recording& run);

// A product that another one called is counted as part of the other.
std::vector<ProductTime> product_times(const RunTimes& times);

std::optional<LaunchCheck> check_launches(const RunTimes& times);

}  // namespace strata::analysis
