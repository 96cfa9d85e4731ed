// SPDX-License-Identifier: Apache-2.0
// A plan as plan.json keeps it. Configurations are files of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/grid/plan/plan.hpp"

namespace strata::grid {

std::string plan_text(const Plan& plan);

// Nothing where the text is no plan of this version.
std::optional<Plan> parse_plan(std::string_view text);

}  // namespace strata::grid
