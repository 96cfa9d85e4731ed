// SPDX-License-Identifier: Apache-2.0
// Adam on gradients projected from the left by a randomized SVD (Halko et al., arXiv:0909.4061), after the
// rSVDAdam whose memory a study of DistilBERT measured.
#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>

#include "host/config/run_config.hpp"
#include "host/trainer/optimizers/rules/adam_moments.hpp"

namespace strata::trainer {

// floor(fraction * min(rows, columns)), at least 1.
std::int64_t rsvd_rank(double fraction, std::int64_t rows, std::int64_t columns);

// The left singular vectors of `rank` that torch.svd_lowrank(matrix, q=min(rank + 4, m, n), niter=1) finds,
// as an m x rank tensor of its own; its sketch is the next draw of `generator`.
at::Tensor approximate_left_basis(const at::Tensor& matrix, std::int64_t rank, at::Generator& generator);

// For matrices; keeps r m + 2 r n elements of one of m x n. The basis is made anew every update_proj_gap
// steps.
class RsvdRule : public UpdateRule {
 public:
  explicit RsvdRule(const config::OptimizerConfig& config) : config_(config) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override;
  void visit(StateVisitor& visitor) override;

 private:
  void make_basis(const at::Tensor& gradient);

  config::OptimizerConfig config_;
  at::Generator generator_;  // its own, of a fixed seed: no other draw of the run depends on this one
  at::Tensor basis_;
  AdamMoments moments_;
};

}  // namespace strata::trainer
