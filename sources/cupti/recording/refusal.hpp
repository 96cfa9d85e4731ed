// SPDX-License-Identifier: Apache-2.0
// Explains why CUPTI refuses a subscription, in words that a user can act on.
#pragma once

#include <string>

#include "sources/cupti/recording/subscription.hpp"

namespace strata::cupti {

// Whether another program part already uses CUPTI.
bool is_busy(CUptiResult result);

// Who uses CUPTI: by the name that CUPTI reports, else by how this process was started and what it has
// loaded. A complete message with the remedy.
std::string describe_holder(const std::string& name);

// For any other refusal. Asks the driver, if there is one, which initialises it.
std::string describe_refusal(const Library& library, CUptiResult result);

// Why the simulated GPU has nothing to record, or an empty text.
std::string describe_dry(const Library& library);

}  // namespace strata::cupti
