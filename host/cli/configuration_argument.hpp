// SPDX-License-Identifier: Apache-2.0
// The configuration argument of commands that run trials: `strata fit llama.yaml`.
#pragma once

#include <string>
#include <string_view>

namespace strata::cli {

// If a program was passed instead, explains how to do that. `command`: "fit". Throws UsageError.
void require_configuration(std::string_view command, const std::string& config);

}  // namespace strata::cli
