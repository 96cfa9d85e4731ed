// SPDX-License-Identifier: Apache-2.0
// A rule of `exclude`: which cells it takes away.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"

namespace strata::grid {

// "1e-3" and "0.001" are equal, ">=1024" compares numbers, "!=adamw" texts too; the label "galore rank=64" of
// an axis is equal to "galore".
bool matches(std::string_view value, std::string_view expected);

struct Condition {
  std::string name;                   // an axis, or a key of the run
  std::vector<std::string> expected;  // one of them
};

// All of its conditions must hold.
struct Rule {
  config::Place place;
  std::string text;  // as it was written, on one line
  std::vector<Condition> conditions;

  // `value_of` gives a cell's value for a name; nothing where it has none, which matches nothing.
  bool takes(const std::function<std::optional<std::string>(const std::string&)>& value_of) const;
};

// A mapping of names to a value, a list of values of which one is enough, or a comparison. `axes` are names
// that are allowed beside the keys of a run.
Rule read_rule(const config::WrittenValue& mapping, const std::vector<std::string>& axes,
               std::vector<config::Problem>& problems);

}  // namespace strata::grid
