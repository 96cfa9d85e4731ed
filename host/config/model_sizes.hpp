// SPDX-License-Identifier: Apache-2.0
// The shapes named by `model.size`, and the other constants of each architecture.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "host/config/run_config.hpp"

namespace strata::config {

// transformer: Stanford CS336, assignment 2 (handouts of 2025 and 2026; they use "xl" for different shapes,
// so one name contains its year and the other its size). llama: the configurations in GaLore's repository.
// gpt2: OpenAI's four. qwen: Qwen2.5. distilbert: the published one. A ResNet's shape is its name, so it has
// no sizes.
struct ModelSize {
  Architecture model;
  std::string_view name;
  std::int64_t d_model;
  std::int64_t d_ff;
  std::int64_t layers;
  std::int64_t heads;
  std::int64_t kv_heads;
  std::int64_t vocab;
};

// The defaults for all sizes of an architecture.
struct ModelDefaults {
  double rope_theta;
  double norm_epsilon;
  std::int64_t positions;  // 0: no learnt positions
  bool tied;
  std::int64_t classes;  // 0: not a classifier
  Task task;
};

// Those of each architecture are in the order of their parameter counts.
std::span<const ModelSize> model_sizes();
// The names of one architecture's sizes; of all architectures, each once.
std::vector<std::string_view> size_names(Architecture model);
std::vector<std::string_view> size_names();

// Null if the architecture has no size of that name, as for `custom`.
const ModelSize* find_model_size(Architecture model, std::string_view name);

const ModelDefaults& defaults_of(Architecture model);

// Elements of all parameters of a built-in model; those of a tied head are not counted. With V entries, width
// d, L layers, feed-forward width f, and keys and values of width k:
//   transformer, llama  2Vd + d + L(2d^2 + 2dk + 3df + 2d)
//   qwen                the same, plus L(d + 2k) biases
//   gpt2                2Vd + Pd + 2d + L(4d^2 + 2df + 9d + f), of which 7d + f per layer and d are biases
//   distilbert          Vd + Pd + 2d + L(4d^2 + 2df + 9d + f) + d^2 + d + C(d + 1)
//   resnet              its convolutions, two for each of their channels, and 512 C + C (ResNet-50: 2048 C +
//   C)
std::uint64_t parameter_count(const ModelConfig& model);

}  // namespace strata::config
