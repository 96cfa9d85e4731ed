// SPDX-License-Identifier: Apache-2.0
// A RunConfig as the YAML that says it in full.
#pragma once

#include <string>

#include "host/config/run_config.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::config {

// Every key that applies, with its value. It loads again, anywhere on this machine, to the same
// configuration.
std::string resolved_yaml(const RunConfig& config);

// The same of the key `device` alone, on a line.
std::string device_yaml(const DeviceConfig& device);

// Whether the key has a meaning in this configuration (`Key::only_when`).
bool applies(const Key& key, const RunConfig& config);

}  // namespace strata::config
