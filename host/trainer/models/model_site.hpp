// SPDX-License-Identifier: Apache-2.0
// Where a module is built: its name in the model and in the trace, and what its tensors are like.
#pragma once

#include <c10/core/TensorOptions.h>

#include <string_view>

#include "host/trainer/models/module_scope.hpp"

namespace strata::trainer {

struct ModelSite {
  ModuleScope scope = {};
  at::TensorOptions tensors = at::TensorOptions(at::kFloat).device(at::kCPU);  // dtype and device

  ModelSite child(std::string_view name) const { return {scope.child(name), tensors}; }
};

}  // namespace strata::trainer
