// SPDX-License-Identifier: Apache-2.0
// CUPTI's names of the functions that have numbers.
#pragma once

#include <cstdint>

#include "dry_gpu/cupti/cupti_api.hpp"

namespace strata::dry_gpu {

// Null if there is no such function. Generated from CUPTI's headers (symbols/call_names.cmake).
const char* call_name(CUpti_CallbackDomain domain, std::uint32_t function);

}  // namespace strata::dry_gpu
