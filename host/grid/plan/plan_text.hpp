// SPDX-License-Identifier: Apache-2.0
// The format of plan.json. Configurations are in separate files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/grid/plan/plan.hpp"

namespace strata::grid {

std::string plan_text(const Plan& plan);

// Empty if the text is not a plan of this version.
std::optional<Plan> parse_plan(std::string_view text);

}  // namespace strata::grid
