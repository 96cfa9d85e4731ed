// SPDX-License-Identifier: Apache-2.0
// CUDA functions that need special treatment in a recording: launches, and pure queries.
#pragma once

#include <span>
#include <string_view>

#include "sources/cupti/api/cupti_api.hpp"

namespace strata::cupti {

// Whether the call launches a kernel or a graph whose record has its correlation.
bool launches(CUpti_ActivityKind kind, CUpti_CallbackId function);

// Runtime functions that do no work; a framework calls several of them for each call that does.
std::span<const CUpti_runtime_api_trace_cbid> questions();

// Driver functions that give a device work, load code, map memory or wait. Libraries call them without the
// runtime: cuBLAS, cuDNN, NCCL and Triton launch kernels like this.
bool is_called_past_runtime(std::string_view driver_function);

}  // namespace strata::cupti
