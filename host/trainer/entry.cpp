#include "host/trainer/entry.hpp"

#include <exception>
#include <utility>

#include "host/trainer/loop/failure.hpp"
#include "host/trainer/loop/training_run.hpp"

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

// Everything that the training allocated is freed when this returns: what is alive at the run's end leaked.
Result train(const Request& request) {
  Result result;
  try {
    TrainingRun run(request);
    result.parameters = run.parameter_count();
    request.session.ready();
    run.run_steps(result);
  } catch (...) {
    Failure failure = explain(std::current_exception());
    result.outcome = failure.outcome;
    result.message = std::move(failure.message);
  }
  return result;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) Result strata_trainer_run(const Request& request) {
  request.session.begin_run();
  Result result = train(request);
  request.session.end_run(run_end(result.outcome));
  return result;
}

}  // namespace strata::trainer
