// SPDX-License-Identifier: Apache-2.0
// Records in the run store which trainer ran the steps, so that advice can use that trainer's terms.
#pragma once

#include <string>

#include "strata/host.hpp"

namespace strata::torch_source {

// [loop-thread] Once per run. Throws std::runtime_error if the host rejects the table; without a store there
// is no table.
void report_trainer(const Host& host, const std::string& trainer);

}  // namespace strata::torch_source
