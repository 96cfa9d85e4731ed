// SPDX-License-Identifier: Apache-2.0
// {from: 128, to: 1024, times: 2}: the values of an axis as a range of numbers.
#pragma once

#include <yaml-cpp/yaml.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace strata::grid {

// The message is appended to the key's name.
class RangeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether a mapping is meant as a range: it has `from`.
bool is_range(const YAML::Node& mapping);

// From the first to the last, inclusive, each `times` or `step` the previous one. Integers if all three
// numbers are. Throws RangeError.
std::vector<std::string> range_of(const YAML::Node& mapping);

}  // namespace strata::grid
