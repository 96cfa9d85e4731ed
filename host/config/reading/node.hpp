// SPDX-License-Identifier: Apache-2.0
// What messages say of a YAML node: what it is and where it stands.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "host/config/problem.hpp"

namespace strata::config {

// "'abc'", "nothing", "a list", "a mapping", for "expected ..., found ...". Does not look inside.
std::string describe(const YAML::Node& node);

// Where a node of `source` stands; `otherwise` when YAML does not say.
Place place_of(const YAML::Node& node, const Place& otherwise);

}  // namespace strata::config
