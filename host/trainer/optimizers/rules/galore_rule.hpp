// SPDX-License-Identifier: Apache-2.0
// galore_torch 1.0's GaLoreAdamW: Adam's moments of a projected gradient, or, where nothing is projected,
// Hugging Face's AdamW, which adds epsilon before the bias is corrected, and decays last.
#pragma once

#include <cstdint>
#include <optional>

#include "host/config/run_config.hpp"
#include "host/trainer/optimizers/rules/adam_moments.hpp"
#include "host/trainer/optimizers/rules/galore_projector.hpp"

namespace strata::trainer {

// Keeps, in fp32 words for a parameter of m x n at rank r, s = min(m, n), standard projection:
//   projected      2 r max(m, n) moments and a projector of r s, within s^2 while the factor is kept
//   not projected  2 m n
// Old moments stay when a new basis is made, as they do there.
class GaloreRule : public UpdateRule {
 public:
  GaloreRule(const config::OptimizerConfig& config, bool projects);

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override;
  void visit(StateVisitor& visitor) override;

 private:
  config::OptimizerConfig config_;
  std::optional<GaloreProjector> projector_;
  AdamMoments moments_;
};

}  // namespace strata::trainer
