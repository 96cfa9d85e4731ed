// The shapes that `model.size` names: those of Stanford CS336, assignment 2 (handouts of 2025 and 2026; the
// two years call different shapes "xl", so that one carries its year and the other its size).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "host/config/run_config.hpp"

namespace strata::config {

struct ModelSize {
  std::string_view name;
  std::int64_t d_model;
  std::int64_t d_ff;
  std::int64_t layers;
  std::int64_t heads;
  std::int64_t vocab;
};

// In the order of their parameter counts.
std::span<const ModelSize> model_sizes();

// Null when no size has that name; `custom` is none.
const ModelSize* find_model_size(std::string_view name);

// Elements of all parameters of a decoder-only transformer with an untied head, RMSNorm, SwiGLU (three
// matrices) and no biases: 2Vd + d + L(4d^2 + 3 d f + 2d).
std::uint64_t parameter_count(const ModelConfig& model);

}  // namespace strata::config
