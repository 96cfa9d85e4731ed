// SPDX-License-Identifier: Apache-2.0
// Summaries of a run's times, one kind of object each, over the steps of the window.
#pragma once

#include <optional>
#include <vector>

#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/time/run_times.hpp"

namespace strata::analysis {

struct Recording;

// In the order of first begin, nested ones after their parent.
std::vector<PhaseTime> phase_times(const RunTimes& times);

// Device work without a known operator is under "(unknown)".
std::vector<LayerTime> layer_times(const RunTimes& times);

std::vector<OpTime> op_times(const RunTimes& times);

// With readable names.
std::vector<KernelTime> kernel_times(const RunTimes& times);

// Calls of that STRATA_ACTIVITY_* kind, by name.
std::vector<CallTime> call_times(const RunTimes& times, std::uint32_t kind);

std::vector<StepTime> step_times(const RunTimes& times);

// Whether operators compute during their time and do not only request device work.
bool host_computes(const Recording& run);

// A product called by another one counts as part of that one.
std::vector<ProductTime> product_times(const RunTimes& times);

std::optional<LaunchCheck> check_launches(const RunTimes& times);

}  // namespace strata::analysis
