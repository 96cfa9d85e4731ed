// SPDX-License-Identifier: Apache-2.0
// Names with their values, as set in the parts of a grid file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"
#include "host/grid/file/names.hpp"

namespace strata::grid {

struct Assignment {
  std::string path;  // a key of a run, "optimizer.lr", or a name of a program
  config::WrittenValue value;
};

using Assignments = std::vector<Assignment>;

// The assignments of a mapping to these names. Its keys are complete ({optimizer.lr: 1e-3}), nested
// ({optimizer: {lr: 1e-3}}), or below `section` if that is not empty. Adds a problem for each invalid one.
Assignments read_assignments(const config::WrittenValue& mapping, std::string_view section,
                             const Names& names, std::vector<config::Problem>& problems);

// All except those of that key. (Erasing would assign to YAML nodes, which also changes their aliases.)
Assignments without(const Assignments& assignments, std::string_view path);

// All combinations with one element of each list in place of a single value; the last list varies fastest. At
// most `limit` of them.
std::vector<Assignments> expand_lists(const Assignments& assignments, const Names& names, std::size_t limit);

}  // namespace strata::grid
