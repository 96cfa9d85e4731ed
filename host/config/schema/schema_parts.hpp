// SPDX-License-Identifier: Apache-2.0
// The sections of the schema's table that are in separate files.
#pragma once

#include <vector>

#include "host/config/schema/schema.hpp"

namespace strata::config {

std::vector<Key> adapter_keys();
std::vector<Key> model_keys();
std::vector<Key> cupti_keys();
std::vector<Key> data_keys();
std::vector<Key> optimizer_keys();
std::vector<Key> rank_keys();

}  // namespace strata::config
