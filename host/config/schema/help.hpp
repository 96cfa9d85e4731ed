// SPDX-License-Identifier: Apache-2.0
// `strata run --help-config`: every key, what it takes, its default, what it does.
#pragma once

#include <string>

namespace strata::config {

std::string help_text();

}  // namespace strata::config
