// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace strata::analysis::testing {

// Where `value` breaks `schema`, as "/peak/step: ...". Knows the keywords that our schemas use, and throws
// std::logic_error for any other, so that none is passed over in silence.
std::vector<std::string> violations(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace strata::analysis::testing
