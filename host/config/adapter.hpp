// SPDX-License-Identifier: Apache-2.0
// The layers of a model that an adapter can be attached to, and the parameters it adds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "host/config/run_config.hpp"

namespace strata::config {

// The name for all linear layers of a block, as in peft's target_modules="all-linear".
inline constexpr std::string_view kAllLinear = "all-linear";

// A linear layer of every block, by the last part of its name. GPT-2's block has two layers named c_proj.
struct AdaptableLayer {
  std::string_view name;
  std::int64_t in_features;
  std::int64_t out_features;
};

// Those of one block, in order; empty if the architecture does not support adapters.
std::vector<AdaptableLayer> adaptable_layers(const ModelConfig& model);

// The layers that peft adapts if target_modules is not given.
std::span<const std::string_view> default_targets(Architecture model);

// Whether the layers with that name get the adapter.
bool is_target(const AdapterConfig& adapter, std::string_view name);

// Trained elements: rank x (in + out) for each target; 0 without an adapter.
std::uint64_t adapter_parameter_count(const ModelConfig& model, const AdapterConfig& adapter);

// For the model and its adapter together.
std::uint64_t parameter_count(const RunConfig& config);

}  // namespace strata::config
