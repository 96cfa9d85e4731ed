// SPDX-License-Identifier: Apache-2.0
// Waits until every device that this process uses has done what it was given.
#pragma once

#include <string>

namespace strata::cupti {

// [loop-thread] Through the driver that is loaded; devices that the process has not touched stay so. Empty,
// or what went wrong.
std::string wait_for_devices();

}  // namespace strata::cupti
