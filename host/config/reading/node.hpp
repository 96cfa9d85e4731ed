// SPDX-License-Identifier: Apache-2.0
// Describes YAML nodes in messages: their type and place.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "host/config/problem.hpp"

namespace strata::config {

// "'abc'", "nothing", "a list", "a mapping", for "expected ..., found ...". Does not describe the contents.
std::string describe(const YAML::Node& node);

// The place of a node in `source`; `otherwise` if YAML does not know it.
Place place_of(const YAML::Node& node, const Place& otherwise);

}  // namespace strata::config
