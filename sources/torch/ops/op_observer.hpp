// SPDX-License-Identifier: Apache-2.0
// Tells of operators as torch's RecordFunction sees them: calls of operators, nodes of the backward graph,
// and ranges that the program named. Asynchronous records (a collective that ends on another thread) are left
// out: they are no extent of any one thread.
#pragma once

#include <cstdint>

namespace strata::torch_source {

// What operators multiply is told where it was asked for: torch then boxes the inputs of each operator, which
// costs as much again as the callback.
enum class Shapes : std::uint8_t { kNotReported, kReported };

class OpObserver {
 public:
  // [loop-thread] Registers with RecordFunction. Other threads follow with their next operator.
  explicit OpObserver(Shapes shapes);
  // [loop-thread] What is open ends quietly.
  ~OpObserver();
  OpObserver(const OpObserver&) = delete;
  OpObserver& operator=(const OpObserver&) = delete;

  // [loop-thread] Switches torch's callback on when operators are to be told (`looking`) and somebody listens
  // to them, off else: the callback's mere presence costs each operator its record.
  void follow_interest(bool looking);

 private:
  unsigned long handle_;
  bool enabled_ = true;
};

}  // namespace strata::torch_source
