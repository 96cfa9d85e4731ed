// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/operator_effects.hpp"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <cstddef>

namespace strata::torch_source {

bool is_of_python(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->is_python_dispatch();
}

bool is_on_card(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() && !is_of_python(value.toTensor()) &&
         value.toTensor().is_cuda();
}

std::vector<const c10::StorageImpl*> written_by(const at::RecordFunction& function) {
  std::vector<const c10::StorageImpl*> written;
  const auto found = c10::Dispatcher::singleton().findSchema(*function.operator_name());
  const auto inputs = function.inputs();
  if (!found) return written;
  const auto& arguments = found->schema().arguments();
  const auto add = [&](const at::Tensor& tensor) {
    if (tensor.defined() && tensor.has_storage()) written.push_back(tensor.storage().unsafeGetStorageImpl());
  };
  for (std::size_t index = 0; index < std::min(arguments.size(), inputs.size()); ++index) {
    if (arguments[index].alias_info() == nullptr || !arguments[index].alias_info()->isWrite()) continue;
    if (inputs[index].isTensor()) add(inputs[index].toTensor());
    if (inputs[index].isTensorList()) {
      for (const at::Tensor& each : inputs[index].toTensorVector()) add(each);
    }
  }
  return written;
}

}  // namespace strata::torch_source
