// SPDX-License-Identifier: Apache-2.0
// Defaults that differ between optimizers.
#pragma once

#include "host/config/run_config.hpp"

namespace strata::config {

struct OptimizerDefaults {
  double momentum;
  double beta2;
  double epsilon;
};

// The defaults of torch.optim, galore_torch and lion-pytorch.
constexpr OptimizerDefaults defaults_of(OptimizerName name) {
  return {.momentum = name == OptimizerName::kMuon ? 0.95 : 0.0,
          .beta2 = name == OptimizerName::kLion ? 0.99 : 0.999,
          .epsilon = name == OptimizerName::kGaloreAdamW ? 1e-6 : 1e-8};
}

// Optimizers that can also step all parameters together; the others only step one after the other.
constexpr bool has_multi_tensor_form(OptimizerName name) {
  return name == OptimizerName::kAdamW || name == OptimizerName::kAdam || name == OptimizerName::kSgd;
}

}  // namespace strata::config
