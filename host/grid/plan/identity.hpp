// SPDX-License-Identifier: Apache-2.0
// The identity of a cell: its configuration, however it was written.
#pragma once

#include <string>
#include <string_view>

#include "host/config/run_config.hpp"

namespace strata::grid {

// 12 hexadecimal digits of the SHA-256 of the cell's configuration: one line for each key that applies, with
// its value, sorted; without `name`, which has no effect on the computation.
std::string identity_of(const config::RunConfig& config);

// The same of another text.
std::string identity_of_text(std::string_view text);

// The text that is hashed.
std::string canonical_text(const config::RunConfig& config);

std::string sha256(std::string_view text);

}  // namespace strata::grid
