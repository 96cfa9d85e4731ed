// SPDX-License-Identifier: Apache-2.0
// The bytes returned by each top-level operator, for the estimate of activations that sums the outputs of a
// model's layers (docs/scopes.md). For one step only, because torch copies every operator's results while
// they are observed.
#pragma once

#include <cstdint>
#include <memory>

#include "strata/host.hpp"

namespace strata::torch_source {

class LayerOutputs {
 public:
  // [loop-thread] Declares the table. Throws std::runtime_error if the host keeps no store.
  explicit LayerOutputs(const Host& host);
  ~LayerOutputs();
  LayerOutputs(const LayerOutputs&) = delete;
  LayerOutputs& operator=(const LayerOutputs&) = delete;

  // [loop-thread] Observes all threads from here until `end`; once.
  void begin();
  void end();

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
  unsigned long handle_ = 0;  // of torch's callback; 0: none
  bool begun_ = false;
};

}  // namespace strata::torch_source
