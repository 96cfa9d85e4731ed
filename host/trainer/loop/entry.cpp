// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/entry.hpp"

#include <optional>

#include "host/trainer/backward/backward_modules.hpp"
#include "host/trainer/loop/train.hpp"

namespace strata::trainer {

namespace {

RunEnd run_end(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return RunEnd::kDone;
    case Outcome::kInterrupted:
      return RunEnd::kInterrupted;
    case Outcome::kOutOfMemory:
      return RunEnd::kOutOfMemory;
    case Outcome::kFailed:
      break;
  }
  return RunEnd::kFailed;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) Result strata_trainer_run(const Request& request) {
  // Sources find a device when the run begins: it has to be there.
  const std::optional<Result> no_device = start_device(request);
  std::optional<BackwardModules> modules;
  if (request.session.plugins_want_modules()) modules.emplace(request.session);
  request.session.begin_run();
  Result result = no_device ? *no_device : train(request, modules ? &modules->graph() : nullptr);
  if (request.before_end) request.before_end();
  request.session.end_run(run_end(result.outcome));
  return result;
}

}  // namespace strata::trainer
