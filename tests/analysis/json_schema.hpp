// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace strata::analysis::testing {

// Where `value` violates `schema`, as "/peak/step: ...". Knows the keywords used by our schemas and throws
// std::logic_error for any other, so that none is silently ignored.
std::vector<std::string> violations(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace strata::analysis::testing
