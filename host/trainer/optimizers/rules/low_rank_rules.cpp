// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/rules.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace strata::trainer {
namespace {

// Throws std::runtime_error, naming the optimizer, if an element is infinite or NaN: for such a matrix LAPACK
// and cuSOLVER only report that they did not converge, if they end at all. On a dry device, which reads
// zeros, every gradient is finite.
//
// Checks only the lowest and the highest element: both are NaN if any element is. A mask of all elements
// would be as large as the gradient.
void require_finite(const at::Tensor& gradient, std::string_view optimizer) {
  const auto [lowest, highest] = at::aminmax(gradient);
  if (std::isfinite(lowest.item<double>()) && std::isfinite(highest.item<double>())) return;
  throw std::runtime_error(
      fmt::format("{} cannot decompose a gradient of {} x {} that holds infinities or NaN; lower "
                  "optimizer.lr, set optimizer.clip_norm, or choose a precision with a wider range",
                  optimizer, gradient.size(0), gradient.size(1)));
}

struct ProjectedSides {
  bool left;
  bool right;
};

ProjectedSides projected_sides(config::ProjectionType type, const at::Tensor& gradient) {
  const bool is_tall = gradient.size(0) >= gradient.size(1);
  switch (type) {
    case config::ProjectionType::kStandard:
      return {.left = !is_tall, .right = is_tall};
    case config::ProjectionType::kReverseStandard:
      return {.left = is_tall, .right = !is_tall};
    case config::ProjectionType::kRight:
      return {.left = false, .right = true};
    case config::ProjectionType::kLeft:
      return {.left = true, .right = false};
    case config::ProjectionType::kFull:
      break;
  }
  return {.left = true, .right = true};
}

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

// GaLore's projection of a gradient to low rank (arXiv:2403.03507), as galore_torch 1.0 computes it.
class GaloreProjector {
 public:
  explicit GaloreProjector(const config::OptimizerConfig& config) : config_(config) {}

  // The gradient in the basis of its largest singular vectors: m x n becomes r x n where its left side is
  // projected, m x r where its right one is, r x r where both are. The basis is made anew, of `gradient`, at
  // every update_proj_gap-th of the `steps` taken before. Throws std::runtime_error when it is made and the
  // gradient is not finite.
  at::Tensor project(const at::Tensor& gradient, std::int64_t steps) {
    const bool has_basis = left_.defined() || right_.defined();
    if (!has_basis || steps % config_.update_proj_gap == 0) make_basis(gradient);
    at::Tensor projected = gradient;
    if (left_.defined()) projected = at::matmul(left_.t(), projected);
    if (right_.defined()) projected = at::matmul(projected, right_.t());
    return projected;
  }

  // Takes an update in that basis back to the parameter's shape, times the scale.
  at::Tensor project_back(const at::Tensor& update) const {
    at::Tensor restored = update;
    if (left_.defined()) restored = at::matmul(left_, restored);
    if (right_.defined()) restored = at::matmul(restored, right_);
    return restored * config_.scale;
  }

  void visit(StateVisitor& visitor) {
    visitor.tensor("projector_left", left_, StateShape::kOther, TensorRole::kProjector);
    visitor.tensor("projector_right", right_, StateShape::kOther, TensorRole::kProjector);
  }

 private:
  // galore_torch also multiplies the other factor with the singular values, and drops the product unread.
  void make_basis(const at::Tensor& gradient) {
    require_finite(gradient, "galore_adamw");
    const auto [left, singular_values, right] =
        at::linalg_svd(gradient.to(at::kFloat), /*full_matrices=*/false);
    const ProjectedSides sides = projected_sides(config_.proj_type, gradient);
    if (sides.left) left_ = kept_share(left.slice(1, 0, config_.rank), gradient.scalar_type());
    if (sides.right) right_ = kept_share(right.slice(0, 0, config_.rank), gradient.scalar_type());
  }

  // The first vectors of a factor, as many as the rank, in the gradient's number format.
  at::Tensor kept_share(const at::Tensor& share, at::ScalarType format) const {
    if (format != at::kFloat) return share.to(format);
    return config_.keep_factor ? share : share.clone();
  }

  config::OptimizerConfig config_;
  at::Tensor left_;   // m x r
  at::Tensor right_;  // r x n
};

// galore_torch 1.0's GaLoreAdamW: Adam's moments of a projected gradient, or, where nothing is projected,
// Hugging Face's AdamW, which adds epsilon before the bias is corrected, and decays last.
//
// Keeps, in fp32 words for a parameter of m x n at rank r, s = min(m, n), standard projection:
//   projected      2 r max(m, n) moments and a projector of r s, a view of s^2 while the factor is kept
//   not projected  2 m n
// Old moments stay when a new basis is made, as in galore_torch.
class GaloreRule : public UpdateRule {
 public:
  GaloreRule(const config::OptimizerConfig& config, bool projects) : config_(config) {
    if (projects) projector_.emplace(config);
  }

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override {
    const at::Tensor seen = projector_ ? projector_->project(gradient, moments_.steps) : gradient;
    if (!moments_.average.defined()) moments_.make_like(seen);
    ++moments_.steps;
    moments_.average.mul_(config_.beta1).add_(seen, 1.0 - config_.beta1);
    moments_.square_average.mul_(config_.beta2).addcmul_(seen, seen, 1.0 - config_.beta2);
    const at::Tensor denominator = moments_.square_average.sqrt().add_(config_.epsilon);

    at::Tensor update = moments_.average / denominator;
    if (projector_) update = projector_->project_back(update);
    const double root = std::sqrt(moments_.bias_correction(config_.beta2));
    parameter.add_(update, -learning_rate * root / moments_.bias_correction(config_.beta1));
    if (config_.weight_decay > 0.0) parameter.add_(parameter, -learning_rate * config_.weight_decay);
  }

  void visit(StateVisitor& visitor) override {
    moments_.visit(visitor, projector_ ? StateShape::kOther : StateShape::kOfParameter);
    if (projector_) projector_->visit(visitor);
  }

 private:
  config::OptimizerConfig config_;
  std::optional<GaloreProjector> projector_;
  AdamMoments moments_;
};

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

// Adam on gradients projected from the left by a randomized SVD (Halko et al., arXiv:0909.4061), after the
// rSVDAdam whose memory was measured in a study of DistilBERT.
//
// For matrices; keeps r m + 2 r n elements for an m x n matrix. The basis is recomputed every update_proj_gap
// steps.
class RsvdRule : public UpdateRule {
 public:
  explicit RsvdRule(const config::OptimizerConfig& config) : config_(config) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override {
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

  void visit(StateVisitor& visitor) override {
    moments_.visit(visitor, StateShape::kOther);
    visitor.tensor("projector", basis_, StateShape::kOther, TensorRole::kProjector);
    visitor.generator("generator", generator_);
  }

 private:
  void make_basis(const at::Tensor& gradient) {
    require_finite(gradient, "rsvd_adam");
    if (!generator_.defined()) generator_ = own_generator(gradient.device());
    const at::Tensor matrix = gradient.scalar_type() == at::kDouble ? gradient : gradient.to(at::kFloat);
    const std::int64_t rank = rsvd_rank(config_.rank_fraction, gradient.size(0), gradient.size(1));
    basis_ = approximate_left_basis(matrix, rank, generator_).to(gradient.scalar_type());
  }

  config::OptimizerConfig config_;
  at::Generator generator_;  // its own, of a fixed seed: no other draw of the run depends on this one
  at::Tensor basis_;
  AdamMoments moments_;
};

std::unique_ptr<UpdateRule> make_galore_rule(const config::OptimizerConfig& config, bool projects) {
  return std::make_unique<GaloreRule>(config, projects);
}

std::unique_ptr<UpdateRule> make_rsvd_rule(const config::OptimizerConfig& config) {
  return std::make_unique<RsvdRule>(config);
}

}  // namespace strata::trainer
