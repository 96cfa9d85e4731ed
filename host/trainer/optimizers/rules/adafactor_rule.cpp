// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/rules.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata::trainer {
namespace {

// torch.optim.Adafactor's defaults: beta2_decay, eps[1] and d.
constexpr double kDecayExponent = -0.8;
constexpr double kSmallestScale = 1e-3;
constexpr double kUpdateThreshold = 1.0;

double smallest_of(at::ScalarType format) {
  return AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, format, "adafactor", [] {
    return static_cast<double>(std::numeric_limits<scalar_t>::epsilon());
  });
}

double root_mean_square(const at::Tensor& tensor) {
  return tensor.norm().item<double>() / std::sqrt(static_cast<double>(tensor.numel()));
}

at::Tensor mean_square(const at::Tensor& gradient, std::int64_t dimension) {
  return at::norm(gradient, 2, {dimension}, /*keepdim=*/true).square_().div_(gradient.size(dimension));
}

}  // namespace

// torch.optim.Adafactor (arXiv:1804.04235): a matrix's second moments kept as their rows' and columns' means.
// Keeps m + n elements for a parameter of m x n, n for one of n.
class AdafactorRule : public UpdateRule {
 public:
  explicit AdafactorRule(const config::OptimizerConfig& config) : config_(config) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override {
    const auto count = static_cast<double>(++steps_);
    const double weight = std::pow(count, kDecayExponent);
    const double smallest = smallest_of(parameter.scalar_type());
    const double rate = std::min(learning_rate, 1.0 / std::sqrt(count));
    const double scale = std::max(kSmallestScale, root_mean_square(parameter)) * rate;
    if (config_.weight_decay != 0.0) parameter.mul_(1.0 - learning_rate * config_.weight_decay);

    at::Tensor update =
        gradient.dim() > 1 ? factored_estimate(gradient, weight, smallest) : plain_estimate(gradient, weight);
    update.clamp_min_(smallest * smallest).rsqrt_().mul_(gradient);
    const double divisor = std::max(1.0, root_mean_square(update) / kUpdateThreshold);
    parameter.add_(update, -scale / divisor);
  }

  void visit(StateVisitor& visitor) override {
    visitor.integer("step", steps_);
    visitor.tensor("row_var", rows_, StateShape::kOther);
    visitor.tensor("col_var", columns_, StateShape::kOther);
    visitor.tensor("variance", squares_, StateShape::kOfParameter);
  }

 private:
  // The running estimate of the squared gradient, in a tensor of its own.
  at::Tensor factored_estimate(const at::Tensor& gradient, double weight, double smallest) {
    const at::Tensor row_means = mean_square(gradient, -1);
    const at::Tensor column_means = mean_square(gradient, -2);
    if (!rows_.defined()) {
      rows_ = at::zeros_like(row_means);
      columns_ = at::zeros_like(column_means);
    }
    rows_.lerp_(row_means, weight);
    columns_.lerp_(column_means, weight);
    return at::matmul(rows_, columns_).div_(rows_.mean(-2, /*keepdim=*/true).clamp_min_(smallest));
  }

  at::Tensor plain_estimate(const at::Tensor& gradient, double weight) {
    if (!squares_.defined()) squares_ = at::zeros_like(gradient, at::MemoryFormat::Preserve);
    squares_.lerp_(gradient * gradient, weight);
    return squares_.clone();
  }

  config::OptimizerConfig config_;
  std::int64_t steps_ = 0;
  at::Tensor rows_;     // [..., m, 1] of a gradient [..., m, n]
  at::Tensor columns_;  // [..., 1, n]
  at::Tensor squares_;  // of a vector
};

std::unique_ptr<UpdateRule> make_adafactor_rule(const config::OptimizerConfig& config) {
  return std::make_unique<AdafactorRule>(config);
}

}  // namespace strata::trainer
