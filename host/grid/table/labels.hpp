// SPDX-License-Identifier: Apache-2.0
// The meanings of the labels of a grid's cells.
#pragma once

#include "host/grid/plan/plan.hpp"
#include "host/grid/table/table.hpp"

namespace strata::grid {

// One row for each label that is not complete by itself.
Table labels_table(const Plan& plan);

// That table for a terminal, after an empty line; empty without rows.
std::string labels_text(const Plan& plan);

}  // namespace strata::grid
