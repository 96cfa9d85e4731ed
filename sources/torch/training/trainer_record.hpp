// SPDX-License-Identifier: Apache-2.0
// Whose trainer ran the steps: in the run store, for who reads the run, so that advice is in that trainer's
// words.
#pragma once

#include <string>

#include "strata/host.hpp"

namespace strata::torch_source {

// [loop-thread] Once a run. Throws std::runtime_error when the host refuses the table; a host that keeps no
// store has none to refuse.
void report_trainer(const Host& host, const std::string& trainer);

}  // namespace strata::torch_source
