// SPDX-License-Identifier: Apache-2.0
// How many bytes each operator returned that no other operator called: for the estimate of activations that
// sums up what a model's layers return (docs/scopes.md). For one step, for torch copies every operator's
// results while somebody looks at them.
#pragma once

#include <cstdint>
#include <memory>

#include "strata/host.hpp"

namespace strata::torch_source {

class LayerOutputs {
 public:
  // [loop-thread] Declares the table. Throws std::runtime_error when the host keeps none.
  explicit LayerOutputs(const Host& host);
  ~LayerOutputs();
  LayerOutputs(const LayerOutputs&) = delete;
  LayerOutputs& operator=(const LayerOutputs&) = delete;

  // [loop-thread] From here on, on all threads, until `end`; once.
  void begin();
  void end();

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
  unsigned long handle_ = 0;  // of torch's callback; 0: there is none
  bool begun_ = false;
};

}  // namespace strata::torch_source
