// SPDX-License-Identifier: Apache-2.0
// A rule of `exclude`: the cells that it removes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"
#include "host/grid/file/names.hpp"

namespace strata::grid {

// "1e-3" equals "0.001", ">=1024" compares numbers, "!=adamw" also compares texts; the axis label "galore
// rank=64" equals "galore".
bool matches(std::string_view value, std::string_view expected);

struct Condition {
  std::string name;                   // an axis, or a key of the run
  std::vector<std::string> expected;  // any one of them
};

// All of its conditions must hold.
struct Rule {
  config::Place place;
  std::string text;  // as written, on one line
  std::vector<Condition> conditions;

  // `value_of` returns a cell's value for a name; empty if it has none, which never matches.
  bool takes(const std::function<std::optional<std::string>(const std::string&)>& value_of) const;
};

// A mapping of names to a value, a list of alternative values, or a comparison. `axes` are names allowed in
// addition to the keys of a run.
Rule read_rule(const config::WrittenValue& mapping, const std::vector<std::string>& axes, const Names& names,
               std::vector<config::Problem>& problems);

}  // namespace strata::grid
