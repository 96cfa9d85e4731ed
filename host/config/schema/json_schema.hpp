// SPDX-License-Identifier: Apache-2.0
// `strata run --json-schema`: the configuration's JSON Schema (draft 2020-12), for editors and other
// checkers.
#pragma once

#include <string>

namespace strata::config {

// It holds every rule about one key; what needs arithmetic or the file system is left to `strata run`.
std::string json_schema();

}  // namespace strata::config
