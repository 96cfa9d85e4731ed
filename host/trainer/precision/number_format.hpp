// SPDX-License-Identifier: Apache-2.0
// What `precision` means for a run.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <optional>

#include "host/config/run_config.hpp"
#include "host/trainer/precision/autocast.hpp"

namespace strata::trainer {

// Of parameters, and so of gradients and optimizer state. With an adapter, of what is frozen and not in 4
// bits.
at::ScalarType parameter_dtype(const config::RunConfig& config);

// Around forward and loss; nothing where the precision casts nothing.
std::optional<AutocastState> autocast_state(const config::RunConfig& config);

}  // namespace strata::trainer
