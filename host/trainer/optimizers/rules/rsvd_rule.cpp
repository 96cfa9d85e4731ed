// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/rsvd_rule.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "host/trainer/optimizers/rules/finite_gradient.hpp"

namespace strata::trainer {
namespace {

constexpr std::int64_t kOversampling = 4;

at::Tensor orthonormal_basis(const at::Tensor& matrix) {
  return std::get<0>(at::linalg_qr(matrix));
}

// With one iteration of the subspace, for a matrix that is at least as tall as wide.
at::Tensor range_basis(const at::Tensor& matrix, std::int64_t width, at::Generator& generator) {
  const at::Tensor sketch = at::randn({matrix.size(1), width}, generator, matrix.options());
  const at::Tensor first = orthonormal_basis(at::matmul(matrix, sketch));
  const at::Tensor rows = orthonormal_basis(at::matmul(matrix.t(), first));
  return orthonormal_basis(at::matmul(matrix, rows));
}

at::Generator own_generator(const at::Device& device) {
  at::Generator shared = at::globalContext().defaultGenerator(device);
  at::Generator own = [&] {
    const std::lock_guard lock(shared.mutex());
    return shared.clone();
  }();
  own.set_current_seed(0);
  return own;
}

}  // namespace

std::int64_t rsvd_rank(double fraction, std::int64_t rows, std::int64_t columns) {
  const auto shorter = static_cast<double>(std::min(rows, columns));
  return std::max(std::int64_t{1}, static_cast<std::int64_t>(fraction * shorter));
}

at::Tensor approximate_left_basis(const at::Tensor& matrix, std::int64_t rank, at::Generator& generator) {
  const bool is_wide = matrix.size(0) < matrix.size(1);
  const at::Tensor tall = is_wide ? matrix.t() : matrix;
  const at::Tensor range = range_basis(tall, std::min(rank + kOversampling, tall.size(1)), generator);
  const auto [left, singular_values, right] =
      at::linalg_svd(at::matmul(range.t(), tall), /*full_matrices=*/false);
  const at::Tensor vectors = is_wide ? right.t() : at::matmul(range, left);
  return vectors.slice(1, 0, rank).clone(at::MemoryFormat::Contiguous);
}

void RsvdRule::step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) {
  const at::Tensor decayed =
      config_.weight_decay != 0.0 ? gradient.add(parameter, config_.weight_decay) : gradient;
  if (moments_.steps % config_.update_proj_gap == 0) make_basis(decayed);
  const at::Tensor projected = at::matmul(basis_.t(), decayed);
  if (!moments_.average.defined()) moments_.make_like(projected);
  ++moments_.steps;
  moments_.average.mul_(config_.beta1).add_(projected, 1.0 - config_.beta1);
  moments_.square_average.mul_(config_.beta2).addcmul_(projected, projected, 1.0 - config_.beta2);

  const double root = std::sqrt(moments_.bias_correction(config_.beta2));
  const at::Tensor denominator = moments_.square_average.sqrt().div_(root).add_(config_.epsilon);
  parameter.add_(at::matmul(basis_, moments_.average / denominator),
                 -learning_rate / moments_.bias_correction(config_.beta1));
}

void RsvdRule::make_basis(const at::Tensor& gradient) {
  require_finite(gradient, "rsvd_adam");
  if (!generator_.defined()) generator_ = own_generator(gradient.device());
  const at::Tensor matrix = gradient.scalar_type() == at::kDouble ? gradient : gradient.to(at::kFloat);
  const std::int64_t rank = rsvd_rank(config_.rank_fraction, gradient.size(0), gradient.size(1));
  basis_ = approximate_left_basis(matrix, rank, generator_).to(gradient.scalar_type());
}

void RsvdRule::visit(StateVisitor& visitor) {
  moments_.visit(visitor, StateShape::kOther);
  visitor.tensor("projector", basis_, StateShape::kOther, TensorRole::kProjector);
  visitor.generator("generator", generator_);
}

}  // namespace strata::trainer
