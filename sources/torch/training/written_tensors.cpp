// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/written_tensors.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace strata::torch_source {
namespace {

void for_each_tensor(const c10::IValue& value, c10::function_ref<void(const at::Tensor&)> take) {
  if (value.isTensor()) {
    if (const at::Tensor& tensor = value.toTensor(); tensor.defined()) take(tensor);
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorList()) {
      if (tensor.defined()) take(tensor);
    }
  } else if (value.isOptionalTensorList()) {
    for (const std::optional<at::Tensor> tensor : value.toOptionalTensorList()) {
      if (tensor && tensor->defined()) take(*tensor);
    }
  }
}

// Null where torch has none.
const c10::FunctionSchema* schema_of(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (!name) return nullptr;
  const auto found = c10::Dispatcher::singleton().findSchema(*name);
  return found ? &found->schema() : nullptr;
}

// Copies to another device or number format, which a model's `to` makes of its weights.
bool copies(std::string_view name) {
  return name == "aten::_to_copy" || name == "aten::copy_";
}

// Not those that answer with a number, as aten::item does for a log, those that cut off the graph, copies,
// and views, as LibTorch's initialisation takes of a weight to see how large it is. What has no schema is a
// function that the program, or Dynamo, gave to autograd, or what aten::detach does for autograd.
bool makes_what_has_a_gradient(const at::RecordFunction& function) {
  const c10::FunctionSchema* const schema = schema_of(function);
  if (schema == nullptr) {
    const std::string_view name = function.name();
    return name != "detach" && name != "detach_";
  }
  if (schema->name() == "aten::detach" || copies(schema->name())) return false;
  return std::ranges::any_of(schema->returns(), [](const c10::Argument& made) {
    if (made.alias_info() != nullptr && !made.alias_info()->isWrite()) return false;
    const auto kind = made.type()->kind();
    return kind == c10::TypeKind::TensorType || kind == c10::TypeKind::ListType;
  });
}

// What a layer computes with, trained or frozen: an adapter's forward begins with the layers that it adapts.
bool reads_weight(const at::RecordFunction& function) {
  const c10::FunctionSchema* const schema = schema_of(function);
  if (schema == nullptr) return false;
  const auto& arguments = schema->arguments();
  const auto inputs = function.inputs();
  for (std::size_t i = 0; i < std::min(arguments.size(), inputs.size()); ++i) {
    if (arguments[i].name() == "weight") return inputs[i].isTensor() && inputs[i].toTensor().defined();
  }
  return false;
}

}  // namespace

bool begins_forward(const at::RecordFunction& function) {
  bool requires_gradients = false;
  for (const c10::IValue& input : function.inputs()) {
    for_each_tensor(input, [&](const at::Tensor& tensor) { requires_gradients |= tensor.requires_grad(); });
    if (requires_gradients) return makes_what_has_a_gradient(function);
  }
  return reads_weight(function);
}

void for_each_written(const at::RecordFunction& function, c10::function_ref<void(const at::Tensor&)> take) {
  const c10::FunctionSchema* const schema = schema_of(function);
  if (schema == nullptr) return;
  const auto& arguments = schema->arguments();
  const auto inputs = function.inputs();
  for (std::size_t i = 0; i < std::min(arguments.size(), inputs.size()); ++i) {
    const c10::AliasInfo* const alias = arguments[i].alias_info();
    if (alias != nullptr && alias->isWrite()) for_each_tensor(inputs[i], take);
  }
}

}  // namespace strata::torch_source
