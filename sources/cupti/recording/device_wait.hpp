// SPDX-License-Identifier: Apache-2.0
// Waits until every device used by this process has finished its work.
#pragma once

#include <string>

namespace strata::cupti {

// [loop-thread] Uses the loaded driver; does not initialise devices that the process has not used. Returns
// the error, or an empty text.
std::string wait_for_devices();

}  // namespace strata::cupti
