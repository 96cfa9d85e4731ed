// SPDX-License-Identifier: Apache-2.0
// Reports operators seen by torch's RecordFunction: calls of operators, nodes of the backward graph, and
// ranges named by the program. Asynchronous records (a collective that ends on another thread) are left out,
// because they are not ranges of a single thread.
#pragma once

#include <cstdint>

namespace strata::torch_source {

// Shapes of products are only reported on request: torch then boxes the inputs of each operator, which costs
// as much again as the callback.
enum class Shapes : std::uint8_t { kNotReported, kReported };

class OpObserver {
 public:
  // [loop-thread] Registers with RecordFunction. Other threads follow with their next operator.
  explicit OpObserver(Shapes shapes);
  // [loop-thread] Open ops end without events.
  ~OpObserver();
  OpObserver(const OpObserver&) = delete;
  OpObserver& operator=(const OpObserver&) = delete;

  // [loop-thread] Registers torch's callback if operators are to be reported (`looking`) and a plugin listens
  // to them; else removes it, because a registered callback costs each operator a record.
  void follow_interest(bool looking);

 private:
  unsigned long handle_;
  bool enabled_ = true;
};

}  // namespace strata::torch_source
