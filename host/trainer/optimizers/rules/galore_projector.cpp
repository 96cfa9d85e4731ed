// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/galore_projector.hpp"

#include <ATen/ATen.h>

#include <tuple>

#include "host/trainer/optimizers/rules/finite_gradient.hpp"

namespace strata::trainer {
namespace {

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

}  // namespace

at::Tensor GaloreProjector::project(const at::Tensor& gradient, std::int64_t steps) {
  const bool has_basis = left_.defined() || right_.defined();
  if (!has_basis || steps % config_.update_proj_gap == 0) make_basis(gradient);
  at::Tensor projected = gradient;
  if (left_.defined()) projected = at::matmul(left_.t(), projected);
  if (right_.defined()) projected = at::matmul(projected, right_.t());
  return projected;
}

at::Tensor GaloreProjector::project_back(const at::Tensor& update) const {
  at::Tensor restored = update;
  if (left_.defined()) restored = at::matmul(left_, restored);
  if (right_.defined()) restored = at::matmul(restored, right_);
  return restored * config_.scale;
}

void GaloreProjector::visit(StateVisitor& visitor) {
  visitor.tensor("projector_left", left_, StateShape::kOther, TensorRole::kProjector);
  visitor.tensor("projector_right", right_, StateShape::kOther, TensorRole::kProjector);
}

// galore_torch also multiplies the other factor with the singular values, and drops the product unread.
void GaloreProjector::make_basis(const at::Tensor& gradient) {
  require_finite(gradient, "galore_adamw");
  const auto [left, singular_values, right] =
      at::linalg_svd(gradient.to(at::kFloat), /*full_matrices=*/false);
  const ProjectedSides sides = projected_sides(config_.proj_type, gradient);
  if (sides.left) left_ = kept_share(left.slice(1, 0, config_.rank), gradient.scalar_type());
  if (sides.right) right_ = kept_share(right.slice(0, 0, config_.rank), gradient.scalar_type());
}

at::Tensor GaloreProjector::kept_share(const at::Tensor& share, at::ScalarType format) const {
  if (format != at::kFloat) return share.to(format);
  return config_.keep_factor ? share : share.clone();
}

}  // namespace strata::trainer
