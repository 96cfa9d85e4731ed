// SPDX-License-Identifier: Apache-2.0
// A complete training, from set-up to the last step; every failure becomes an outcome.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "host/trainer/backward/graph_modules.hpp"
#include "host/trainer/entry.hpp"

namespace strata::trainer {

// The meaning of an exception for the run.
struct Failure {
  Outcome outcome = Outcome::kFailed;  // or kOutOfMemory
  std::string message;                 // one line: what happened and what to do
};

// For torch's own errors only the first line, without a backtrace.
Failure explain(const std::exception_ptr& exception);

// Prepares the request's device. Call it before the run of `request.session` begins, when sources look for
// the device. Returns a result if no run is possible. Never throws.
std::optional<Result> start_device(const Request& request);

// The run of `request.session` has begun; the caller must end it, with the outcome. All allocations of the
// training are freed when this returns: memory alive at the run's end is a leak. Never throws. `modules`,
// unless null, records the nodes that the model's modules add to the backward graph.
Result train(const Request& request, GraphModules* modules);

}  // namespace strata::trainer
