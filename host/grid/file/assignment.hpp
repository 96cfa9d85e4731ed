// SPDX-License-Identifier: Apache-2.0
// Keys of a run's YAML with their values, as set in the parts of a grid file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"

namespace strata::grid {

struct Assignment {
  std::string path;  // a key of the run's schema: "optimizer.lr"
  config::WrittenValue value;
};

using Assignments = std::vector<Assignment>;

// The assignments of a mapping. Its keys are complete ({optimizer.lr: 1e-3}), nested ({optimizer: {lr:
// 1e-3}}), or below `section` if that is not empty. Adds a problem for each invalid one.
Assignments read_assignments(const config::WrittenValue& mapping, std::string_view section,
                             std::vector<config::Problem>& problems);

// All except those of that key. (Erasing would assign to YAML nodes, which also changes their aliases.)
Assignments without(const Assignments& assignments, std::string_view path);

// All combinations with one element of each list in place of a single value; the last list varies fastest. At
// most `limit` of them.
std::vector<Assignments> expand_lists(const Assignments& assignments, std::size_t limit);

// Whether a list is a single value of that key: files, plugins.
bool takes_list(std::string_view key_path);

// "; did you mean 'optimizer'?": the nearest key or section; empty if none is near.
std::string setting_meant(std::string_view path);

// "unknown key ...", with the nearest one.
std::string unknown_setting(std::string_view path);

}  // namespace strata::grid
