// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace strata::grid {

// This machine's name, to record where a cell ran.
std::string host_name();

}  // namespace strata::grid
