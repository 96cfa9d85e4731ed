// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/lora_linear.hpp"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/nn/modules/container/moduledict.h>

#include <cmath>
#include <utility>

#include "host/config/adapter.hpp"
#include "host/trainer/models/layers/initial_weights.hpp"
#include "host/trainer/models/layers/nf4_linear.hpp"

namespace strata::trainer {
namespace {

at::TensorOptions adapter_options(const ModelSite& site) {
  return site.tensors.dtype(at::kFloat);
}

}  // namespace

LoraLinear::LoraLinear(std::shared_ptr<LinearLayer> base, const Shape& shape,
                       const config::AdapterConfig& adapter, Base base_kind, const ModelSite& site)
    : scaling_(adapter.alpha / static_cast<double>(adapter.rank)),
      dropout_(adapter.dropout),
      base_kind_(base_kind),
      scope_(site.scope),
      base_(register_module("base_layer", std::move(base))) {
  const auto add = [&](const char* name, at::Tensor weight) {
    auto layer = std::make_shared<Linear>(std::move(weight), site.child(name).child("default"));
    register_module(name, torch::nn::ModuleDict())->update({{"default", layer}});
    return layer;
  };
  const double limit = 1.0 / std::sqrt(static_cast<double>(shape.in_features));
  down_ = add("lora_A", uniform({adapter.rank, shape.in_features}, limit, adapter_options(site)));
  up_ = add("lora_B", at::zeros({shape.out_features, adapter.rank}, adapter_options(site)));
}

// Holds and rounds what peft does, where it does: Linear.forward of peft/tuners/lora/layer.py, and
// Linear4bit.forward of bnb.py.
at::Tensor LoraLinear::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("LoraLinear");
  at::Tensor result = base_->forward(x);
  const at::ScalarType dtype = result.scalar_type();
  if (base_kind_ == Base::kIn4Bits) result = result.clone();
  const bool casts = casts_input(x);
  const at::Tensor input = casts ? x.to(at::kFloat) : x;
  at::Tensor change = dropout_ > 0.0 ? at::dropout(input, dropout_, /*train=*/true) : input;
  change = down_->forward(change);
  change = up_->forward(change);
  change = change * scaling_;
  if (base_kind_ == Base::kIn4Bits) {
    if (casts) change = change.to(dtype);
    return result + change;
  }
  result = result + change;
  change.reset();
  return result.to(dtype);
}

void LoraLinear::train_adapter() const {
  for (at::Tensor& weight : down_->parameters()) weight.requires_grad_(true);
  for (at::Tensor& weight : up_->parameters()) weight.requires_grad_(true);
}

// With a base in 4 bits, autocast does the cast.
bool LoraLinear::casts_input(const at::Tensor& x) const {
  return base_kind_ == Base::kPlain || !at::autocast::is_autocast_enabled(x.device().type());
}

std::shared_ptr<LinearLayer> make_block_linear(const ModelParts& parts, std::string_view name,
                                               const LinearLayer::Shape& shape, double standard_deviation,
                                               const ModelSite& site) {
  const config::AdapterConfig& adapter = parts.adapter;
  const bool is_adapted = config::is_target(adapter, name);
  const bool is_quantized = adapter.is_used() && adapter.base == config::BaseStorage::kNf4;
  const ModelSite own = site.child(name);
  const ModelSite of_base = is_adapted ? own.child("base_layer") : own;
  std::shared_ptr<LinearLayer> base;
  if (is_quantized) {
    const Nf4Format format{.double_quantization = adapter.double_quantization, .computes = parts.computes};
    base = std::make_shared<Nf4Linear>(shape, standard_deviation, format, of_base);
  } else {
    base = std::make_shared<Linear>(shape, standard_deviation, of_base);
  }
  if (!is_adapted) return base;
  return std::make_shared<LoraLinear>(std::move(base), shape, adapter,
                                      is_quantized ? LoraLinear::Base::kIn4Bits : LoraLinear::Base::kPlain,
                                      own);
}

}  // namespace strata::trainer
