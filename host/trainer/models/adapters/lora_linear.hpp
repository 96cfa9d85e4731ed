// SPDX-License-Identifier: Apache-2.0
// A frozen linear layer and its low-rank adapter (LoRA, arXiv:2106.09685), with the operations, names and
// number formats of peft: base_layer(x) + lora_B(lora_A(dropout(x))) alpha / rank.
#pragma once

#include <memory>

#include "host/config/run_config.hpp"
#include "host/trainer/models/layers/linear.hpp"

namespace strata::trainer {

class LoraLinear : public LinearLayer {
 public:
  // peft has a layer for each, which cast at other places.
  enum class Base { kPlain, kIn4Bits };

  // "lora_A.default.weight" [rank, in] evenly within 1 / sqrt(in), "lora_B.default.weight" [out, rank] of
  // zeros: float32, whatever the base is.
  LoraLinear(std::shared_ptr<LinearLayer> base, const Shape& shape, const config::AdapterConfig& adapter,
             Base base_kind, const ModelSite& site);

  at::Tensor forward(const at::Tensor& x) const override;

  // Lets the adapter's two matrices require a gradient.
  void train_adapter() const;

 private:
  bool casts_input(const at::Tensor& x) const;

  double scaling_;
  double dropout_;
  Base base_kind_;
  ModuleScope scope_;
  std::shared_ptr<LinearLayer> base_;
  std::shared_ptr<Linear> down_;  // lora_A
  std::shared_ptr<Linear> up_;    // lora_B
};

}  // namespace strata::trainer
