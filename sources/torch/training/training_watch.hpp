// SPDX-License-Identifier: Apache-2.0
// Tells the host what it concludes steps and phases from in a program that marks none
// (strata/ext/training.h), and whose storages are parameters, gradients and optimizer state.
//
// Ranges that the program named are looked at always. Of the backward graph's nodes the first, the others
// while these are needed (gradients.hpp). Operators, which cost more, only while the host asks for them,
// while an optimizer's state is not known yet, and, for what checkpointing repeats, in steps whose operators
// are told anyway.
#pragma once

#include <memory>

namespace strata::torch_source {

class TrainingWatch {
 public:
  // [loop-thread] Registers with RecordFunction. One at a time.
  TrainingWatch();
  // [loop-thread] What is open ends quietly.
  ~TrainingWatch();
  TrainingWatch(const TrainingWatch&) = delete;
  TrainingWatch& operator=(const TrainingWatch&) = delete;

  // [loop-thread] Whether operators are told from here on: then operators that backward repeats are looked
  // for.
  void follow_operators(bool told);

 private:
  struct Repeated;
  std::unique_ptr<Repeated> repeated_;
};

}  // namespace strata::torch_source
