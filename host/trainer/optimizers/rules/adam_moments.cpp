#include "host/trainer/optimizers/rules/adam_moments.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace strata::trainer {

void AdamMoments::make_like(const at::Tensor& gradient) {
  average = at::zeros_like(gradient, at::MemoryFormat::Preserve);
  square_average = at::zeros_like(gradient, at::MemoryFormat::Preserve);
}

double AdamMoments::bias_correction(double beta) const {
  return 1.0 - std::pow(beta, static_cast<double>(steps));
}

std::vector<KeptTensor> AdamMoments::kept() const {
  if (!average.defined()) return {};
  return {{"exp_avg", average}, {"exp_avg_sq", square_average}};
}

}  // namespace strata::trainer
