// SPDX-License-Identifier: Apache-2.0
// Why CUPTI does not let us in, in words that a user can act on.
#pragma once

#include <string>

#include "sources/cupti/subscription/subscription.hpp"

namespace strata::cupti {

// Somebody else has it.
bool is_busy(CUptiResult result);

// Who that is: by the name that CUPTI gave, else by what this process was started with and has loaded. Whole
// words, with what to do about it.
std::string describe_holder(const std::string& name);

// Any other refusal of a subscription. Asks the driver, if there is one, which initialises it.
std::string describe_refusal(const Library& library, CUptiResult result);

// Empty, or why the dry GPU has nothing to record.
std::string describe_dry(const Library& library);

}  // namespace strata::cupti
