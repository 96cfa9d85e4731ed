// SPDX-License-Identifier: Apache-2.0
// {from: 128, to: 1024, times: 2}: the numbers of an axis, by their rule.
#pragma once

#include <yaml-cpp/yaml.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace strata::grid {

// The message follows the key's name.
class RangeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether a mapping means to be one: it has `from`.
bool is_range(const YAML::Node& mapping);

// From the first on, each `times` or `step` the one before, up to the last, included. Whole where all three
// numbers are. Throws RangeError.
std::vector<std::string> range_of(const YAML::Node& mapping);

}  // namespace strata::grid
