// SPDX-License-Identifier: Apache-2.0
// Tells the host what it concludes steps and phases from in a program that marks none
// (strata/ext/training.h), and whose storages are parameters, gradients and optimizer state.
//
// Nodes of the backward graph and ranges that the program named are looked at always. Operators, which cost
// more, only while the host asks for them, while an optimizer's state is not known yet, and, for what
// checkpointing repeats, in steps whose operators are told anyway.
#pragma once

namespace strata::torch_source {

class TrainingWatch {
 public:
  // [driver] Registers with RecordFunction. One at a time.
  TrainingWatch();
  // [driver] What is open ends quietly.
  ~TrainingWatch();
  TrainingWatch(const TrainingWatch&) = delete;
  TrainingWatch& operator=(const TrainingWatch&) = delete;

  // [driver] Whether operators are told from here on: then operators that backward repeats are looked for.
  void follow_operators(bool told);

 private:
  unsigned long outline_, operators_, repeated_;
  bool repeated_enabled_ = false;
};

}  // namespace strata::torch_source
