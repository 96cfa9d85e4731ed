#include "host/trainer/loop/train.hpp"

#include <exception>
#include <utility>

#include "host/trainer/loop/failure.hpp"
#include "host/trainer/loop/training_run.hpp"

namespace strata::trainer {

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

}  // namespace strata::trainer
