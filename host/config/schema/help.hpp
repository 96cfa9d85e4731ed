// SPDX-License-Identifier: Apache-2.0
// `strata run --help-config`: every key with its values, default and meaning.
#pragma once

#include <string>

namespace strata::config {

std::string help_text();

}  // namespace strata::config
