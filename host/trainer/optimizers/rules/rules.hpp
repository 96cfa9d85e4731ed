// SPDX-License-Identifier: Apache-2.0
// How an optimizer steps one parameter, and its state between steps.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/state_visitor.hpp"

namespace strata::trainer {

class UpdateRule {
 public:
  UpdateRule() = default;
  virtual ~UpdateRule() = default;
  UpdateRule(const UpdateRule&) = delete;
  UpdateRule& operator=(const UpdateRule&) = delete;

  // Called with the same parameter each time, and with its gradient, which must not be changed. Gradients are
  // not recorded.
  virtual void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) = 0;

  // Shows all state that the next step depends on besides its arguments and the configuration. No tensors
  // before the first step.
  virtual void visit(StateVisitor& visitor) = 0;
};

// Whether it is a matrix of a block's attention or feed-forward layer, by its name: GaLore and Muon apply to
// these, and not to embeddings, the head, norms or biases.
bool is_block_projection(const NamedParameter& parameter);

// The rule of each parameter, in order. Throws std::logic_error for an optimizer that does not consist of
// rules.
std::vector<std::unique_ptr<UpdateRule>> make_rules(const config::OptimizerConfig& config,
                                                    const std::vector<NamedParameter>& parameters);

// The rules. adam_rules.cpp, momentum_rules.cpp, adafactor_rule.cpp and low_rank_rules.cpp describe their
// computations and state.
enum class WeightDecay { kInGradient, kDecoupled };
std::unique_ptr<UpdateRule> make_adam_rule(const config::OptimizerConfig& config, WeightDecay decay);

// The maps of a block quantization: one pair, shared by all parameters.
struct QuantizationMaps {
  at::Tensor with_sign;
  at::Tensor without_sign;

  static QuantizationMaps on(const at::Device& device);
};
std::unique_ptr<UpdateRule> make_adam8bit_rule(const config::OptimizerConfig& config, std::int64_t elements,
                                               QuantizationMaps maps);

std::unique_ptr<UpdateRule> make_lion_rule(const config::OptimizerConfig& config);
std::unique_ptr<UpdateRule> make_muon_rule(const config::OptimizerConfig& config);
std::unique_ptr<UpdateRule> make_adafactor_rule(const config::OptimizerConfig& config);
std::unique_ptr<UpdateRule> make_galore_rule(const config::OptimizerConfig& config, bool projects);
std::unique_ptr<UpdateRule> make_rsvd_rule(const config::OptimizerConfig& config);

// The two running means of Adam and related optimizers, in the shape of the gradient passed to them.
struct AdamMoments {
  at::Tensor average;  // of the gradient; undefined before the first step
  at::Tensor square_average;
  std::int64_t steps = 0;

  void make_like(const at::Tensor& gradient);
  // 1 - beta^steps.
  double bias_correction(double beta) const;
  void visit(StateVisitor& visitor, StateShape shape);
};

// The rank used by rsvd_adam: floor(fraction * min(rows, columns)), at least 1.
std::int64_t rsvd_rank(double fraction, std::int64_t rows, std::int64_t columns);

// The first `rank` left singular vectors computed by torch.svd_lowrank(matrix, q=min(rank + 4, m, n),
// niter=1), as a new m x rank tensor; its sketch is the next draw of `generator`.
at::Tensor approximate_left_basis(const at::Tensor& matrix, std::int64_t rank, at::Generator& generator);

}  // namespace strata::trainer
