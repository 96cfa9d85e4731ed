// SPDX-License-Identifier: Apache-2.0
// The first steps of every CUPTI function: without a modelled clock there is nothing to record, and the call
// fails.
#pragma once

#include <new>

#include "dry_gpu/cupti/activities.hpp"
#include "dry_gpu/device/refusals.hpp"

namespace strata::dry_gpu {

// Calls `body(activities)`, which returns a CUptiResult.
template <typename Body>
CUptiResult call_cupti(Refused& function, Body&& body) noexcept {
  try {
    Activities* const records = activities();
    if (records != nullptr) return body(*records);
    refuse(function);
    return CUPTI_ERROR_NOT_SUPPORTED;
  } catch (const std::bad_alloc&) {
    return CUPTI_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUPTI_ERROR_UNKNOWN;
  }
}

}  // namespace strata::dry_gpu
