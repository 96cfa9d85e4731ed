// SPDX-License-Identifier: Apache-2.0
// The linear layers of a block: plain, in 4 bits, with a low-rank adapter.
#pragma once

#include <memory>
#include <string_view>

#include "host/trainer/models/layers/linear.hpp"
#include "host/trainer/models/model.hpp"

namespace strata::trainer {

// A frozen linear layer and its low-rank adapter (LoRA, arXiv:2106.09685), with the operations, names and
// number formats of peft: base_layer(x) + lora_B(lora_A(dropout(x))) alpha / rank.
class LoraLinear : public LinearLayer {
 public:
  // peft has a separate layer for each, and they cast at different places.
  enum class Base { kPlain, kIn4Bits };

  // "lora_A.default.weight" [rank, in] uniform within 1 / sqrt(in), "lora_B.default.weight" [out, rank]
  // zeros: float32 for any base.
  LoraLinear(std::shared_ptr<LinearLayer> base, const Shape& shape, const config::AdapterConfig& adapter,
             Base base_kind, const ModelSite& site);

  at::Tensor forward(const at::Tensor& x) const override;

  // Makes the adapter's two matrices require a gradient.
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

// The layer according to the adapter's configuration. `site` is that of the module in which the layer is
// called `name`. Initial weights as in Linear.
std::shared_ptr<LinearLayer> make_block_linear(const ModelParts& parts, std::string_view name,
                                               const LinearLayer::Shape& shape, double standard_deviation,
                                               const ModelSite& site);

}  // namespace strata::trainer
