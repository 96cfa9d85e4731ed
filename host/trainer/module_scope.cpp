// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/module_scope.hpp"

#include "host/trainer/tensor_report.hpp"

namespace strata::trainer {

ModuleScope ModuleScope::child(std::string_view name) const {
  ModuleScope scope = *this;
  if (!scope.path_.empty()) scope.path_ += '.';
  scope.path_ += name;
  return scope;
}

std::optional<ForwardRange> ModuleScope::enter(std::string_view type) const {
  if (session_ == nullptr) return std::nullopt;
  return std::optional<ForwardRange>(std::in_place, *session_, graph_, path_, type);
}

std::optional<ModuleRange> ModuleScope::enter_again() const {
  if (session_ == nullptr) return std::nullopt;
  return std::optional<ModuleRange>(std::in_place, *session_, path_, "Recompute",
                                    ModuleDirection::kRecompute);
}

void ModuleScope::keeps(std::string_view name, const at::Tensor& tensor) const {
  if (session_ == nullptr || !tensor.defined()) return;
  report_tensor(*session_, TensorRole::kCheckpointInput, child(name).path_, tensor);
}

void ModuleScope::offloads(std::string_view name, const at::Tensor& tensor) const {
  if (session_ != nullptr) report_tensor(*session_, TensorRole::kOffloaded, child(name).path_, tensor);
}

}  // namespace strata::trainer
