// SPDX-License-Identifier: Apache-2.0
// Reports the evidence from which the host infers steps and phases of an unmarked program
// (strata/ext/training.h), and which storages are parameters, gradients and optimizer state.
//
// Ranges named by the program are always observed. Of the backward graph's nodes, the first is always
// observed, the others while they are needed (gradients.hpp). Operators, which are more expensive, are
// observed only while the host requests them, while an optimizer's state is not known yet, and, to find what
// checkpointing repeats, in steps whose operators are reported anyway.
#pragma once

#include <memory>

namespace strata::torch_source {

class TrainingWatch {
 public:
  // [loop-thread] Registers with RecordFunction. One at a time.
  TrainingWatch();
  // [loop-thread] Open ranges end without events.
  ~TrainingWatch();
  TrainingWatch(const TrainingWatch&) = delete;
  TrainingWatch& operator=(const TrainingWatch&) = delete;

  // [loop-thread] Whether operators are reported from now on: only then operators that backward repeats are
  // looked for.
  void follow_operators(bool told);

 private:
  struct Repeated;
  std::unique_ptr<Repeated> repeated_;
};

}  // namespace strata::torch_source
