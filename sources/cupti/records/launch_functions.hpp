// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA that mean something to a recording: those that launch, those that only ask.
#pragma once

#include <span>
#include <string_view>

#include "sources/cupti/subscription/cupti_api.hpp"

namespace strata::cupti {

// Whether a kernel or a graph comes of it, whose record has its correlation.
bool launches(CUpti_ActivityKind kind, CUpti_CallbackId function);

// Of the runtime: calls that do nothing, and of which a framework makes several beside each that does.
std::span<const CUpti_runtime_api_trace_cbid> questions();

// Of the driver: what gives a device work, loads code, maps memory or waits. Libraries call it without the
// runtime: cuBLAS, cuDNN, NCCL and Triton launch kernels so.
bool is_called_past_runtime(std::string_view driver_function);

}  // namespace strata::cupti
