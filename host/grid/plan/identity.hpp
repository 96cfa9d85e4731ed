// SPDX-License-Identifier: Apache-2.0
// What a cell is known by: its configuration, however it was written.
#pragma once

#include <string>
#include <string_view>

#include "host/config/run_config.hpp"

namespace strata::grid {

// 12 hexadecimal digits of the SHA-256 of the cell's configuration: of each key that applies one line with
// its value, sorted; without `name`, which says nothing of what is computed.
std::string identity_of(const config::RunConfig& config);

// The text that it is made of.
std::string canonical_text(const config::RunConfig& config);

std::string sha256(std::string_view text);

}  // namespace strata::grid
