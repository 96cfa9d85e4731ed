// SPDX-License-Identifier: Apache-2.0
// What holds for one optimizer where another has something else, until a configuration says otherwise.
#pragma once

#include "host/config/run_config.hpp"

namespace strata::config {

struct OptimizerDefaults {
  double momentum;
  double beta2;
  double epsilon;
};

// As torch.optim has them, galore_torch, and lion-pytorch.
constexpr OptimizerDefaults defaults_of(OptimizerName name) {
  return {.momentum = name == OptimizerName::kMuon ? 0.95 : 0.0,
          .beta2 = name == OptimizerName::kLion ? 0.99 : 0.999,
          .epsilon = name == OptimizerName::kGaloreAdamW ? 1e-6 : 1e-8};
}

// Those that step all parameters together, too; the others only one after the other.
constexpr bool has_multi_tensor_form(OptimizerName name) {
  return name == OptimizerName::kAdamW || name == OptimizerName::kAdam || name == OptimizerName::kSgd;
}

}  // namespace strata::config
