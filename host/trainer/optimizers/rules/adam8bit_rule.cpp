// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/adam8bit_rule.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

namespace strata::trainer {
namespace {

constexpr std::int64_t kFewestQuantized = 4096;

// In place after the first time, so that the state stays where it is.
void store(QuantizedTensor& kept, const QuantizedTensor& now) {
  if (!kept.codes.defined()) {
    kept = now;
    return;
  }
  kept.codes.copy_(now.codes);
  kept.largest.copy_(now.largest);
}

}  // namespace

QuantizationMaps QuantizationMaps::on(const at::Device& device) {
  return {dynamic_map(CodeSign::kSigned).to(device), dynamic_map(CodeSign::kUnsigned).to(device)};
}

Adam8bitRule::Adam8bitRule(const config::OptimizerConfig& config, std::int64_t elements,
                           QuantizationMaps maps)
    : config_(config), quantizes_(elements >= kFewestQuantized), maps_(std::move(maps)) {}

void Adam8bitRule::step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) {
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

void Adam8bitRule::load_moments() {
  moments_.average = dequantize(average_, maps_.with_sign);
  moments_.square_average = dequantize(square_average_, maps_.without_sign);
}

void Adam8bitRule::store_moments() {
  store(average_, quantize(std::exchange(moments_.average, {}), maps_.with_sign));
  store(square_average_, quantize(std::exchange(moments_.square_average, {}), maps_.without_sign));
}

void Adam8bitRule::visit(StateVisitor& visitor) {
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

}  // namespace strata::trainer
