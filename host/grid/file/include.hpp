// SPDX-License-Identifier: Apache-2.0
// Cells in addition to those of the axes: `include`.
#pragma once

#include <vector>

#include "host/grid/file/axis.hpp"

namespace strata::grid {

// Each is a mapping of keys of a run that override base and set; its own `name` is its label.
std::vector<Point> read_include(const config::WrittenValue& value, const Names& names,
                                std::vector<config::Problem>& problems);

}  // namespace strata::grid
