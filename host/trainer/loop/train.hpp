// SPDX-License-Identifier: Apache-2.0
// A whole training, from set-up to the last step, with every failure turned into an outcome.
#pragma once

#include <optional>

#include "host/trainer/backward/graph_modules.hpp"
#include "host/trainer/entry.hpp"

namespace strata::trainer {

// Makes the request's device ready; `request.session`'s run has not begun, for sources look for the device
// when it does. The result, when there can be no run. Never throws.
std::optional<Result> start_device(const Request& request);

// `request.session`'s run has begun; ending it, with the outcome, is left to the caller. All that the
// training allocated is freed when this returns: what is alive at the run's end leaked. Never throws.
// `modules`, where somebody wants to know, learns what the model's modules add to the backward graph.
Result train(const Request& request, GraphModules* modules);

}  // namespace strata::trainer
