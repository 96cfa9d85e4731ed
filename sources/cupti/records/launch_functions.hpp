// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA that mean something to a recording: those that launch, those that only ask.
#pragma once

#include <array>
#include <span>

#include "sources/cupti/subscription/cupti_api.hpp"

namespace strata::cupti {

// Whether a kernel or a graph comes of it, whose record has its correlation.
bool launches(CUpti_ActivityKind kind, CUpti_CallbackId function);

// Of the runtime: calls that do nothing, and of which a framework makes several beside each that does.
std::span<const CUpti_runtime_api_trace_cbid> questions();

// Of the driver: what libraries call past the runtime, and what they wait in.
std::span<const CUpti_driver_api_trace_cbid> driver_functions();

}  // namespace strata::cupti
