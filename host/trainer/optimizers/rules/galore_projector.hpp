// SPDX-License-Identifier: Apache-2.0
// GaLore's projection of a gradient to low rank (arXiv:2403.03507), as galore_torch 1.0 computes it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "host/config/run_config.hpp"
#include "host/trainer/saving/state_visitor.hpp"

namespace strata::trainer {

class GaloreProjector {
 public:
  explicit GaloreProjector(const config::OptimizerConfig& config) : config_(config) {}

  // The gradient in the basis of its largest singular vectors: m x n becomes r x n where its left side is
  // projected, m x r where its right one is, r x r where both are. The basis is made anew, of `gradient`, at
  // every update_proj_gap-th of the `steps` taken before. Throws std::runtime_error when it is made and the
  // gradient is not finite.
  at::Tensor project(const at::Tensor& gradient, std::int64_t steps);

  // An update in that basis as one of the parameter, times the scale.
  at::Tensor project_back(const at::Tensor& update) const;

  void visit(StateVisitor& visitor);

 private:
  void make_basis(const at::Tensor& gradient);
  // A factor's share of the rank, in the gradient's number format.
  at::Tensor kept_share(const at::Tensor& share, at::ScalarType format) const;

  config::OptimizerConfig config_;
  at::Tensor left_;   // m x r
  at::Tensor right_;  // r x n
};

}  // namespace strata::trainer
