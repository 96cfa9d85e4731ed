// SPDX-License-Identifier: Apache-2.0
// The source's options, as `strata plugins torch` prints them.
#pragma once

#include <array>

#include "strata/option.hpp"

namespace strata::torch_source {

inline constexpr std::array kOptions{
    option::choice(
        "ops", "window|run|none", "window",
        "Record operators, which give allocations a name: in all steps except those that wait for the window "
        "(but including the first step, because its blocks stay), in the whole run, or never."),
    option::choice(
        "detail", "auto|all", "all",
        "The steps of the window in which operators are recorded: the first 10 and then every 50th, "
        "or all. With saved tensors, shapes or Python stacks, all."),
    option::flag("saved_tensors", "false",
                 "Record what autograd keeps for backward, through Strata's own autograd engine."),
    option::flag("cross_check", "false",
                 "Write c10's own memory reports and DeviceStats into the run store, to compare them with "
                 "Strata's. The peaks of DeviceStats are reset at the begin of each step."),
    option::choice("memory_samples", "phase|step|none", "phase",
                   "Sample the memory in use on devices and the process's host memory: where the run, steps "
                   "and phases begin or end (devices at phases only if segments came or went), where the run "
                   "and steps begin or end, or never."),
    option::flag("layer_outputs", "false",
                 "Record how many bytes each operator of the window's first step returned, for an estimate "
                 "of activations."),
    option::flag("python_stacks", "false",
                 "Record where in the Python program each allocating operator was called, for reports that "
                 "show stacks. Only for threads that Python knows."),
    option::flag("shapes", "false",
                 "Record the shapes of matrix products, convolutions and attention, for their FLOP/s. This "
                 "about doubles the cost of recording an operator."),
    option::flag(
        "absent_peers", "false",
        "This process is one rank of a job whose other ranks are absent: answer its collectives on "
        "the CPU as ranks would that do the same, and compute small numbers on its card that decide about "
        "sizes."),
    option::flag("program_layers", "false",
                 "In a Python program that attaches no model itself: find its models when its first step "
                 "begins, and record each module's forward."),
};

}  // namespace strata::torch_source
