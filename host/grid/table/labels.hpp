// SPDX-License-Identifier: Apache-2.0
// What the labels of a grid's cells stand for.
#pragma once

#include "host/grid/plan/plan.hpp"
#include "host/grid/table/table.hpp"

namespace strata::grid {

// A row for each that does not say it all itself.
Table labels_table(const Plan& plan);

// That table for a terminal, behind an empty line; empty without a row.
std::string labels_text(const Plan& plan);

}  // namespace strata::grid
