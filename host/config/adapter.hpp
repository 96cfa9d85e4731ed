// SPDX-License-Identifier: Apache-2.0
// Which layers of a model an adapter can stand beside, and what it adds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "host/config/run_config.hpp"

namespace strata::config {

// The name that stands for all linear layers of a block, as peft's target_modules="all-linear".
inline constexpr std::string_view kAllLinear = "all-linear";

// A linear layer of every block, by the last part of its name. Two layers of GPT-2's block are a c_proj.
struct AdaptableLayer {
  std::string_view name;
  std::int64_t in_features;
  std::int64_t out_features;
};

// Of one block, in its order; empty where the architecture takes no adapter.
std::vector<AdaptableLayer> adaptable_layers(const ModelConfig& model);

// What peft adapts where target_modules is not given.
std::span<const std::string_view> default_targets(Architecture model);

// Whether the adapter is to stand beside the layers of that name.
bool is_target(const AdapterConfig& adapter, std::string_view name);

// Elements that are trained: rank x (in + out) for each target; 0 without an adapter.
std::uint64_t adapter_parameter_count(const ModelConfig& model, const AdapterConfig& adapter);

// Of the model and its adapter together.
std::uint64_t parameter_count(const RunConfig& config);

}  // namespace strata::config
