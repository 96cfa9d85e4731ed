// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/rules.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace strata::trainer {
namespace {

// torch.optim.Muon's constants, of https://kellerjordan.github.io/posts/muon.
constexpr double kA = 3.4445, kB = -4.7750, kC = 2.0315;
constexpr double kSmallestNorm = 1e-7;
constexpr int kIterations = 5;

// The Newton-Schulz iteration: the singular values come near to 1, the singular vectors stay.
at::Tensor orthogonalized(const at::Tensor& matrix) {
  const bool is_tall = matrix.size(0) > matrix.size(1);
  at::Tensor result = matrix.to(at::kBFloat16);
  if (is_tall) result = result.t();
  result.div_(result.norm().clamp_min(kSmallestNorm));
  for (int i = 0; i < kIterations; ++i) {
    const at::Tensor gram = at::matmul(result, result.t());
    const at::Tensor gram_update = at::addmm(gram, gram, gram, kB, kC);
    result = at::addmm(result, gram_update, result, kA);
  }
  return is_tall ? result.t() : result;
}

}  // namespace

// Lion (arXiv:2302.06675) as lion-pytorch computes it: the sign of a momentum, with decoupled weight decay.
// Keeps one tensor of the parameter's shape.
class LionRule : public UpdateRule {
 public:
  explicit LionRule(const config::OptimizerConfig& config) : config_(config) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override {
    if (!average_.defined()) average_ = at::zeros_like(parameter, at::MemoryFormat::Preserve);
    parameter.mul_(1.0 - learning_rate * config_.weight_decay);
    const at::Tensor update =
        average_.clone().mul_(config_.beta1).add_(gradient, 1.0 - config_.beta1).sign_();
    parameter.add_(update, -learning_rate);
    average_.mul_(config_.beta2).add_(gradient, 1.0 - config_.beta2);
  }

  void visit(StateVisitor& visitor) override {
    visitor.tensor("exp_avg", average_, StateShape::kOfParameter);
  }

 private:
  config::OptimizerConfig config_;
  at::Tensor average_;
};

// torch.optim.Muon of 2.11: momentum with a nearly orthogonalised update, for matrices. Keeps one tensor of
// the parameter's shape. A step's temporaries are matrices in bfloat16, for any parameter format; three of
// them are squares of the shorter side.
class MuonRule : public UpdateRule {
 public:
  explicit MuonRule(const config::OptimizerConfig& config) : config_(config) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override {
    if (!momentum_.defined()) momentum_ = at::zeros_like(gradient, at::MemoryFormat::Preserve);
    momentum_.lerp_(gradient, 1.0 - config_.momentum);
    const at::Tensor update = orthogonalized(gradient.lerp(momentum_, config_.momentum));
    const double sides = static_cast<double>(parameter.size(0)) / static_cast<double>(parameter.size(1));
    parameter.mul_(1.0 - learning_rate * config_.weight_decay);
    parameter.add_(update, -learning_rate * std::sqrt(std::max(1.0, sides)));
  }

  void visit(StateVisitor& visitor) override {
    visitor.tensor("momentum_buffer", momentum_, StateShape::kOfParameter);
  }

 private:
  config::OptimizerConfig config_;
  at::Tensor momentum_;
};

std::unique_ptr<UpdateRule> make_lion_rule(const config::OptimizerConfig& config) {
  return std::make_unique<LionRule>(config);
}

std::unique_ptr<UpdateRule> make_muon_rule(const config::OptimizerConfig& config) {
  return std::make_unique<MuonRule>(config);
}

}  // namespace strata::trainer
