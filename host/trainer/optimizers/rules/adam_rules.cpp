// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/rules.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

#include "host/trainer/optimizers/rules/block_quantization.hpp"

namespace strata::trainer {
namespace {

constexpr std::int64_t kFewestQuantized = 4096;

// In place after the first time, so that the state's memory stays the same.
void store(QuantizedTensor& kept, const QuantizedTensor& now) {
  if (!kept.codes.defined()) {
    kept = now;
    return;
  }
  kept.codes.copy_(now.codes);
  kept.largest.copy_(now.largest);
}

}  // namespace

void AdamMoments::make_like(const at::Tensor& gradient) {
  average = at::zeros_like(gradient, at::MemoryFormat::Preserve);
  square_average = at::zeros_like(gradient, at::MemoryFormat::Preserve);
}

double AdamMoments::bias_correction(double beta) const {
  return 1.0 - std::pow(beta, static_cast<double>(steps));
}

void AdamMoments::visit(StateVisitor& visitor, StateShape shape) {
  visitor.integer("step", steps);
  visitor.tensor("exp_avg", average, shape);
  visitor.tensor("exp_avg_sq", square_average, shape);
}

// Adam (arXiv:1412.6980) and AdamW (arXiv:1711.05101) as torch.optim's, for the parameters that muon and
// rsvd_adam leave to them.
class AdamRule : public UpdateRule {
 public:
  AdamRule(const config::OptimizerConfig& config, WeightDecay decay) : config_(config), decay_(decay) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override {
    if (!moments_.average.defined()) moments_.make_like(parameter);
    ++moments_.steps;
    const bool decays = config_.weight_decay != 0.0;
    if (decays && decay_ == WeightDecay::kDecoupled)
      parameter.mul_(1.0 - learning_rate * config_.weight_decay);
    const at::Tensor decayed = decays && decay_ == WeightDecay::kInGradient
                                   ? gradient.add(parameter, config_.weight_decay)
                                   : gradient;

    moments_.average.lerp_(decayed, 1.0 - config_.beta1);
    moments_.square_average.mul_(config_.beta2).addcmul_(decayed, decayed, 1.0 - config_.beta2);
    const double root = std::sqrt(moments_.bias_correction(config_.beta2));
    const at::Tensor denominator = moments_.square_average.sqrt().div_(root).add_(config_.epsilon);
    parameter.addcdiv_(moments_.average, denominator,
                       -learning_rate / moments_.bias_correction(config_.beta1));
  }

  void visit(StateVisitor& visitor) override { moments_.visit(visitor, StateShape::kOfParameter); }

 private:
  config::OptimizerConfig config_;
  WeightDecay decay_;
  AdamMoments moments_;
};

// bitsandbytes' Adam8bit: moments in 8 bits, weight decay decoupled. Its CUDA kernel needs no temporaries;
// these operators make some in float32, of several times the parameter's size.
//
// Keeps 2 bytes an element and 8 a block of 256; for a parameter under 4096 elements 8 bytes an element, its
// moments in float32.
class Adam8bitRule : public UpdateRule {
 public:
  Adam8bitRule(const config::OptimizerConfig& config, std::int64_t elements, QuantizationMaps maps)
      : config_(config), quantizes_(elements >= kFewestQuantized), maps_(std::move(maps)) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override {
    const at::Tensor seen = gradient.to(at::kFloat);
    if (moments_.steps == 0) {
      moments_.make_like(seen);
    } else if (quantizes_) {
      load_moments();
    }
    ++moments_.steps;
    moments_.average.mul_(config_.beta1).add_(seen, 1.0 - config_.beta1);
    moments_.square_average.mul_(config_.beta2).addcmul_(seen, seen, 1.0 - config_.beta2);

    const double root = std::sqrt(moments_.bias_correction(config_.beta2));
    const at::Tensor denominator = moments_.square_average.sqrt().div_(root).add_(config_.epsilon);
    parameter.mul_(1.0 - learning_rate * config_.weight_decay);
    parameter.add_(moments_.average / denominator, -learning_rate / moments_.bias_correction(config_.beta1));
    if (quantizes_) store_moments();
  }

  void visit(StateVisitor& visitor) override {
    visitor.integer("step", moments_.steps);
    if (!quantizes_) {
      visitor.tensor("state1", moments_.average, StateShape::kOfParameter);
      visitor.tensor("state2", moments_.square_average, StateShape::kOfParameter);
      return;
    }
    visitor.tensor("state1", average_.codes, StateShape::kOfParameter);
    visitor.tensor("absmax1", average_.largest, StateShape::kOther);
    if (moments_.steps > 0) visitor.constant("qmap1", maps_.with_sign);
    visitor.tensor("state2", square_average_.codes, StateShape::kOfParameter);
    visitor.tensor("absmax2", square_average_.largest, StateShape::kOther);
    if (moments_.steps > 0) visitor.constant("qmap2", maps_.without_sign);
  }

 private:
  void load_moments() {
    moments_.average = dequantize(average_, maps_.with_sign);
    moments_.square_average = dequantize(square_average_, maps_.without_sign);
  }

  void store_moments() {
    store(average_, quantize(std::exchange(moments_.average, {}), maps_.with_sign));
    store(square_average_, quantize(std::exchange(moments_.square_average, {}), maps_.without_sign));
  }

  config::OptimizerConfig config_;
  bool quantizes_;
  QuantizationMaps maps_;
  AdamMoments moments_;  // where they are quantized, only during a step
  QuantizedTensor average_;
  QuantizedTensor square_average_;
};

QuantizationMaps QuantizationMaps::on(const at::Device& device) {
  return {dynamic_map(CodeSign::kSigned).to(device), dynamic_map(CodeSign::kUnsigned).to(device)};
}

std::unique_ptr<UpdateRule> make_adam_rule(const config::OptimizerConfig& config, WeightDecay decay) {
  return std::make_unique<AdamRule>(config, decay);
}

std::unique_ptr<UpdateRule> make_adam8bit_rule(const config::OptimizerConfig& config, std::int64_t elements,
                                               QuantizationMaps maps) {
  return std::make_unique<Adam8bitRule>(config, elements, std::move(maps));
}

}  // namespace strata::trainer
