// SPDX-License-Identifier: Apache-2.0
// The shapes that `model.size` names, and what each architecture has beside its shape.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "host/config/run_config.hpp"

namespace strata::config {

// transformer: Stanford CS336, assignment 2 (handouts of 2025 and 2026; the two years call different shapes
// "xl", so that one carries its year and the other its size). llama: the configurations of GaLore's
// repository. gpt2: OpenAI's four. qwen: Qwen2.5. distilbert: the one that was published. A ResNet's shape is
// its name, so that it has no sizes.
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

// What holds for all sizes of an architecture, until a configuration says otherwise.
struct ModelDefaults {
  double rope_theta;
  double norm_epsilon;
  std::int64_t positions;  // 0: it learns none
  bool tied;
  std::int64_t classes;  // 0: it is no classifier
  Task task;
};

// Each architecture's in the order of their parameter counts.
std::span<const ModelSize> model_sizes();
// Names of one architecture's sizes; of all, each once.
std::vector<std::string_view> size_names(Architecture model);
std::vector<std::string_view> size_names();

// Null when no size of that architecture has that name; `custom` is none.
const ModelSize* find_model_size(Architecture model, std::string_view name);

const ModelDefaults& defaults_of(Architecture model);

// Elements of all parameters of a built-in model; of a tied head none. With V entries, width d, L layers,
// feed-forward width f, and keys and values of width k:
//   transformer, llama  2Vd + d + L(2d^2 + 2dk + 3df + 2d)
//   qwen                that, and L(d + 2k) biases
//   gpt2                2Vd + Pd + 2d + L(4d^2 + 2df + 9d + f), of which 7d + f a layer and d are biases
//   distilbert          Vd + Pd + 2d + L(4d^2 + 2df + 9d + f) + d^2 + d + C(d + 1)
//   resnet              its convolutions, two for each of their channels, and 512 C + C (of ResNet-50 2048 C
//   + C)
std::uint64_t parameter_count(const ModelConfig& model);

}  // namespace strata::config
