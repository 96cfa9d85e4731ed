// SPDX-License-Identifier: Apache-2.0
// `strata run --json-schema`: the configuration's JSON Schema (draft 2020-12), for editors and other
// checkers.
#pragma once

#include <string>

namespace strata::config {

// It contains every rule about a single key; rules that need arithmetic or the file system are only checked
// by `strata run`.
std::string json_schema();

}  // namespace strata::config
