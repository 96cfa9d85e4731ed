// SPDX-License-Identifier: Apache-2.0
// The source's options, as `strata plugins torch` prints them.
#pragma once

#include <array>

#include "strata/option.hpp"

namespace strata::torch_source {

inline constexpr std::array kOptions{
    option::choice("ops", "window|run|none", "window",
                   "Tell of operators, so that allocations have a name: all but those of steps that wait for "
                   "the window (save the first, whose blocks stay), those of the whole run, or none."),
    option::flag("saved_tensors", "false",
                 "Tell of what autograd keeps for backward, through an autograd engine of our own."),
    option::flag("cross_check", "false",
                 "Write c10's own memory reporting and DeviceStats into the run store, to be compared with "
                 "ours. DeviceStats' peaks are reset at each step's begin."),
    option::choice(
        "memory_samples", "phase|step|none", "phase",
        "Sample what the devices have in use and what the process holds of the host's memory: where "
        "the run, steps and phases begin or end (the devices at phases only when segments came or "
        "went), where the run and steps do, or not at all."),
    option::flag("layer_outputs", "false",
                 "Tell how many bytes each operator of the window's first step returned, for an estimate of "
                 "activations."),
    option::flag("python_stacks", "false",
                 "Tell where in the Python program each operator that allocates was called: for reports that "
                 "show stacks. Only of threads that Python knows."),
    option::flag(
        "shapes", "false",
        "Tell the shapes of matrix products, convolutions and attention, for their FLOP/s. Costs each "
        "operator about as much again as telling of it."),
    option::flag("program_layers", "false",
                 "In a Python program that attaches no model itself: find its models, once its first step "
                 "begins, and tell of each module's forward."),
};

}  // namespace strata::torch_source
