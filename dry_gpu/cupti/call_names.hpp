// SPDX-License-Identifier: Apache-2.0
// What CUPTI calls the functions that it has numbers for.
#pragma once

#include <cstdint>

#include "dry_gpu/cupti/cupti_api.hpp"

namespace strata::dry_gpu {

// Null: there is no such function. Made from CUPTI's headers (symbols/call_names.cmake).
const char* call_name(CUpti_CallbackDomain domain, std::uint32_t function);

}  // namespace strata::dry_gpu
