// SPDX-License-Identifier: Apache-2.0
// A C++ class as a plugin: strata/plugin.h without its C.
//
// clang-format off
//   class PhaseTimer {
//    public:
//     static constexpr strata_descriptor kDescriptor = {...};
//     explicit PhaseTimer(const strata::Host& host);
//     std::uint64_t begin_phase(const strata_when& when, const strata_phase_info& phase);
//     void end_phase(const strata_when& when, const strata_phase_info& phase, std::uint64_t token);
//   };
//   STRATA_EXPORT_PLUGINS(PhaseTimer)
// clang-format on
//
// Its constructor may throw: then the plugin is disabled, with what() as the reason (option.hpp has what a
// descriptor's options are made with).
//
// The class listens to what it has methods for (listener_methods.hpp has the list; a misspelt one does not
// compile when no other is there). Methods are called on the threads that the C headers say. What they throw
// is caught, counted and logged; after kFaultLimit exceptions the instance hears of nothing new, but still
// gets the ends, the flushes and the run's end that it is owed (fault_guard.hpp). What begin_run throws means
// that the instance cannot work in this run: it has failed, with what() as reason.
//
// C++17, header only. Nothing here is part of the ABI: a plugin compiles its own copy.
#pragma once

#include "strata/artifact_file.hpp"
#include "strata/export_plugins.hpp"
#include "strata/host.hpp"
#include "strata/table.hpp"
