// SPDX-License-Identifier: Apache-2.0
// One axis of a grid: the values that cells have along it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/grid/file/assignment.hpp"

namespace strata::grid {

// One value of an axis: its label, and the assignments.
struct Point {
  std::string label;
  Assignments assignments;
  std::string stands_for = {};  // "{name: sgd, momentum: 0.9}" for `sgd`; empty for a value without a name
  bool says_all = true;         // the label is complete, as `adamw` for {name: adamw}
};

struct Axis {
  std::string name;
  config::Place place;
  std::vector<Point> points;
};

// The maximum number of values of one axis; more are a mistake.
inline constexpr std::size_t kMostPoints = 100'000;

// The forms of an axis:
//   key: [1, 2, 4]                      the values of one key
//   key: {from: 128, to: 1024, times: 2}, or step: 128
//   section: [{name: adamw}, ...]       keys of one section together
//   any name: {label: {key: value, ...}, ...}, or a list of such maps: keys that change together
// In maps, a list in place of a single value makes one point of each element.
Axis read_axis(const std::string& name, const config::WrittenValue& value, const Names& names,
               std::vector<config::Problem>& problems);

// A value's form in tables: "1e-3", "{every: 2}".
std::string label_of(const YAML::Node& node);

}  // namespace strata::grid
