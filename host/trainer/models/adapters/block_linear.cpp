// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/adapters/block_linear.hpp"

#include "host/config/adapter.hpp"
#include "host/trainer/models/adapters/lora_linear.hpp"
#include "host/trainer/models/adapters/nf4_linear.hpp"
#include "host/trainer/models/layers/linear.hpp"

namespace strata::trainer {

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
