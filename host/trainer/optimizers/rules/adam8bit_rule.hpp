// SPDX-License-Identifier: Apache-2.0
// bitsandbytes' Adam8bit: moments in 8 bits, weight decay decoupled. Its CUDA kernel needs no temporaries;
// these operators make some in float32, of several times the parameter's size.
#pragma once

#include "host/config/run_config.hpp"
#include "host/trainer/optimizers/rules/adam_moments.hpp"
#include "host/trainer/optimizers/rules/block_quantization.hpp"

namespace strata::trainer {

// One pair for all parameters.
struct QuantizationMaps {
  at::Tensor with_sign;
  at::Tensor without_sign;

  static QuantizationMaps on(const at::Device& device);
};

// Keeps 2 bytes an element and 8 a block of 256; for a parameter under 4096 elements 8 bytes an element, its
// moments in float32.
class Adam8bitRule : public UpdateRule {
 public:
  Adam8bitRule(const config::OptimizerConfig& config, std::int64_t elements, QuantizationMaps maps);

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override;
  void visit(StateVisitor& visitor) override;

 private:
  void load_moments();
  void store_moments();

  config::OptimizerConfig config_;
  bool quantizes_;
  QuantizationMaps maps_;
  AdamMoments moments_;  // while they are quantized, in a step only
  QuantizedTensor average_;
  QuantizedTensor square_average_;
};

}  // namespace strata::trainer
