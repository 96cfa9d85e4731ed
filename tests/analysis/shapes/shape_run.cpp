// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/shapes/shape_run.hpp"

#include <stdexcept>

#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "strata/ext/tensor.h"

namespace strata::analysis::testing {

Facts run_of(const StepScript& script, std::int64_t steps, std::uint64_t parameter_bytes) {
  RunBuilder run;
  const auto play = [&](std::uint32_t kind, std::string_view name, const auto& part) {
    if (part) run.phase(kind, name, [&] { part(run); });
  };
  run.phase(STRATA_PHASE_SETUP, "setup", [&] { run.allocate_at(kParameterAddress, parameter_bytes); });
  run.tensor(STRATA_TENSOR_PARAMETER, "head.weight", kParameterAddress);
  for (std::int64_t step = 0; step < steps; ++step) {
    run.step(step, STRATA_STEP_ACTIVE, [&] {
      play(STRATA_PHASE_FORWARD, "forward", script.forward);
      play(STRATA_PHASE_LOSS, "loss", script.loss);
      play(STRATA_PHASE_BACKWARD, "backward", script.backward);
      play(STRATA_PHASE_OPTIMIZER, "optimizer", script.optimizer);
      play(STRATA_PHASE_ZERO_GRAD, "zero_grad", script.zero_grad);
    });
  }
  return analyse(run.finish());
}

std::set<std::string> kinds_of(const Facts& facts) {
  std::set<std::string> kinds;
  for (const Shape& shape : find_shapes(facts)) kinds.emplace(name_of(shape.kind).id);
  return kinds;
}

bool has(const Facts& facts, ShapeKind kind) {
  return kinds_of(facts).contains(std::string(name_of(kind).id));
}

Shape only(const Facts& facts, ShapeKind kind) {
  std::vector<Shape> found = find_shapes(facts);
  std::erase_if(found, [&](const Shape& shape) { return shape.kind != kind; });
  if (found.size() != 1) throw std::logic_error("not exactly one shape of the kind");
  return found.front();
}

}  // namespace strata::analysis::testing
