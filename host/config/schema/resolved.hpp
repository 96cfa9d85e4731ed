// SPDX-License-Identifier: Apache-2.0
// Converts a RunConfig to complete YAML.
#pragma once

#include <string>

#include "host/config/run_config.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::config {

// Every key that applies, with its value. Loading it anywhere on this machine gives the same configuration.
std::string resolved_yaml(const RunConfig& config);

// The same for the key `device` only, on one line.
std::string device_yaml(const DeviceConfig& device);

// Whether the key applies to this configuration (`Key::only_when`).
bool applies(const Key& key, const RunConfig& config);

}  // namespace strata::config
