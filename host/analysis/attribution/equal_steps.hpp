// SPDX-License-Identifier: Apache-2.0
// Operators of steps that recorded none: `trace.detail: auto` records them in some steps only.
#pragma once

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

// Gives the memory events of such a step the operators of an earlier or later step that has them, event by
// event, if the two steps do the same: the same allocations and frees in the same order, in the same phases.
// Steps with the same sizes come first; if there are none, sizes may differ, as they do between batches of
// different lengths. A step that only begins like others, with the same sizes, takes operators up to where it
// goes its own way. Registrations of autocast's copies, which operators make, are repeated too.
//
// Returns how many steps recorded operators for most of their allocations, took those of another, and have
// none; steps without events are not counted. Changes MemoryRow::op and Recording::tensors only, and nothing
// if no step, or every step, recorded operators.
StepDetail share_operators_of_equal_steps(Recording& run);

}  // namespace strata::analysis
