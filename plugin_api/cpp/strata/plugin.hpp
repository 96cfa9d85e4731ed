// SPDX-License-Identifier: Apache-2.0
// A C++ class as a plugin: strata/plugin.h for C++.
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
// The constructor may throw: the plugin is then disabled, with what() as the reason. option.hpp has functions
// that make the descriptor's options.
//
// The class receives the events for which it defines methods (see listener_methods.hpp for the list; a
// misspelt method fails to compile only if the class has no other). The threads of each method are those in
// the C headers. Exceptions are caught, counted and logged. After kFaultLimit exceptions the instance gets no
// new events, but still the ends, flushes and end of run that it is owed (fault_guard.hpp). An exception in
// begin_run means that the instance cannot work in this run: it has failed, with what() as the reason.
//
// C++17, header only. Nothing here is part of the ABI: a plugin compiles its own copy.
#pragma once

#include "strata/artifact_file.hpp"
#include "strata/export_plugins.hpp"
#include "strata/host.hpp"
#include "strata/table.hpp"
