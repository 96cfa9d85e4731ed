// SPDX-License-Identifier: Apache-2.0
// The interface of a model for the training loop, for any architecture.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "host/config/run_config.hpp"
#include "host/trainer/checkpointing/checkpoint.hpp"
#include "host/trainer/module_scope.hpp"

namespace strata::trainer {

class Model : public torch::nn::Module {
 public:
  // A language model: int64 tokens [batch, tokens], at most `config.context` of them, to logits
  // [batch, tokens, vocab]. A classifier: tokens, or images [batch, 3, height, width], to logits
  // [batch, classes].
  virtual at::Tensor forward(const at::Tensor& input) = 0;

  // Elements; a tied weight counts once, a 4-bit weight as one.
  std::uint64_t parameter_count() const;
  // Only those that require a gradient.
  std::uint64_t trained_parameter_count() const;
};

// Data shared by the modules of a model.
struct ModelParts {
  config::ModelConfig config = {};
  config::Attention attention{};
  CheckpointPlan checkpoints = {};
  config::AdapterConfig adapter = {};
  // Whether the device computes. On a dry one no values are computed, and no memory is allocated to compute
  // them in parts.
  bool computes = true;
};

// The configured model, with weights drawn from the global generator (seed it first) or computed with a hash.
// On the meta device nothing is allocated, and `forward` does not work. Throws std::invalid_argument with the
// keys for inconsistent sizes.
std::shared_ptr<Model> make_model(const ModelParts& parts, const ModelSite& root);

// d_model / heads. Throws std::invalid_argument if there is a remainder.
std::int64_t features_of_head(const config::ModelConfig& config);

}  // namespace strata::trainer
