// SPDX-License-Identifier: Apache-2.0
// A configuration on the command line of what tries many: `strata fit llama.yaml`.
#pragma once

#include <string>
#include <string_view>

namespace strata::cli {

// Of a program that was named in its place, says how that is asked. `command`: "fit". Throws UsageError.
void require_configuration(std::string_view command, const std::string& config);

}  // namespace strata::cli
