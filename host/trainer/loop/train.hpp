// SPDX-License-Identifier: Apache-2.0
// A whole training, from set-up to the last step, with every failure turned into an outcome.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "host/trainer/backward/graph_modules.hpp"
#include "host/trainer/entry.hpp"

namespace strata::trainer {

// What an exception means for the run.
struct Failure {
  Outcome outcome = Outcome::kFailed;  // or kOutOfMemory
  std::string message;                 // one line: what happened and what to do
};

// Torch's own errors are cut to their first line, without backtrace.
Failure explain(const std::exception_ptr& exception);

// Makes the request's device ready. Call it before `request.session`'s run begins, when sources look for the
// device. Returns a result when there can be no run. Never throws.
std::optional<Result> start_device(const Request& request);

// `request.session`'s run has begun; ending it, with the outcome, is left to the caller. All that the
// training allocated is freed when this returns: what is alive at the run's end leaked. Never throws.
// `modules`, unless it is null, learns what the model's modules add to the backward graph.
Result train(const Request& request, GraphModules* modules);

}  // namespace strata::trainer
