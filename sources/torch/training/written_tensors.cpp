// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/written_tensors.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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

bool writes_to(const c10::Argument& argument) {
  const c10::AliasInfo* const alias = argument.alias_info();
  return alias != nullptr && alias->isWrite();
}

// Copies to another device or number format, which a model's `to` makes of its weights.
bool copies(std::string_view name) {
  return name == "aten::_to_copy" || name == "aten::copy_";
}

// Makes a tensor as large as a weight but independent of its values: an optimizer's state, made by hand or in
// its constructor, or a gradient that is cleared.
bool makes_alike(std::string_view name) {
  return name == "aten::zero_" || name == "aten::fill_" || name.ends_with("_like") ||
         name.starts_with("aten::new_");
}

// Excludes operators that return a number, such as aten::item for a log, those that cut off the graph,
// copies, and views, which LibTorch's initialisation uses to get a weight's size. A function without a schema
// was given to autograd by the program or Dynamo, or is aten::detach's for autograd.
bool makes_what_has_a_gradient(const at::RecordFunction& function) {
  const c10::FunctionSchema* const schema = schema_of(function);
  if (schema == nullptr) {
    const std::string_view name = function.name();
    return name != "detach" && name != "detach_";
  }
  const std::string_view name = schema->name();
  if (name == "aten::detach" || copies(name) || makes_alike(name)) return false;
  return std::ranges::any_of(schema->returns(), [](const c10::Argument& made) {
    if (made.alias_info() != nullptr && !made.alias_info()->isWrite()) return false;
    const auto kind = made.type()->kind();
    return kind == c10::TypeKind::TensorType || kind == c10::TypeKind::ListType;
  });
}

bool is_one_of(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != names.end();
}

// Computed only from weights, such as p ** 2: only the weights' nodes precede it.
bool is_of_weights(const at::Tensor& tensor) {
  if (tensor.is_leaf()) return true;
  return std::ranges::all_of(tensor.grad_fn()->next_edges(), [](const torch::autograd::Edge& edge) {
    return edge.is_valid() && edge.function->next_edges().empty();
  });
}

// A program that logs its weights takes the norm of each, and puts those together: it looks at them, and no
// forward begins with that.
bool only_looks(const at::RecordFunction& function) {
  constexpr std::int64_t kFew = 4096;  // elements: one of each parameter
  constexpr std::array<std::string_view, 13> kReductions{"aten::norm",          "aten::linalg_vector_norm",
                                                         "aten::_foreach_norm", "aten::frobenius_norm",
                                                         "aten::sum",           "aten::mean",
                                                         "aten::std",           "aten::var",
                                                         "aten::max",           "aten::min",
                                                         "aten::amax",          "aten::amin",
                                                         "aten::linalg_norm"};
  constexpr std::array<std::string_view, 4> kBeforeThem{"aten::pow", "aten::square", "aten::abs",
                                                        "aten::mul"};
  constexpr std::array<std::string_view, 6> kBehindThem{"aten::add",  "aten::sub", "aten::div",
                                                        "aten::sqrt", "aten::cat", "aten::stack"};
  const std::string_view name = function.name();
  const bool reduces = is_one_of(name, kReductions), comes_before = is_one_of(name, kBeforeThem);
  if (!reduces && !comes_before && !is_one_of(name, kBehindThem)) return false;
  const c10::FunctionSchema* const schema = schema_of(function);
  const auto inputs = function.inputs();
  bool are_weights = schema != nullptr;
  for (std::size_t i = 0; are_weights && i < std::min(schema->arguments().size(), inputs.size()); ++i) {
    if (writes_to(schema->arguments()[i])) continue;  // a result that another operator made room for
    for_each_tensor(inputs[i], [&](const at::Tensor& tensor) {
      const bool is_weight = reduces ? is_of_weights(tensor) : comes_before && tensor.is_leaf();
      const bool is_looked_at = tensor.requires_grad() && (is_weight || tensor.numel() <= kFew);
      are_weights &= tensor.dim() == 0 || is_looked_at;
    });
  }
  return are_weights;
}

// Whether it reads a layer's weight, trained or frozen: an adapter's forward begins with the layers that it
// adapts.
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
    if (requires_gradients) return makes_what_has_a_gradient(function) && !only_looks(function);
  }
  return reads_weight(function);
}

void for_each_input(const at::RecordFunction& function, c10::function_ref<void(const at::Tensor&)> take) {
  for (const c10::IValue& input : function.inputs()) for_each_tensor(input, take);
}

bool only_views(const at::RecordFunction& function) {
  const c10::FunctionSchema* const schema = schema_of(function);
  return schema != nullptr && !schema->returns().empty() &&
         std::ranges::all_of(schema->returns(), [](const c10::Argument& made) {
           return made.alias_info() != nullptr && !made.alias_info()->isWrite();
         });
}

void for_each_written(const at::RecordFunction& function, c10::function_ref<void(const at::Tensor&)> take) {
  const c10::FunctionSchema* const schema = schema_of(function);
  if (schema == nullptr) return;
  const auto& arguments = schema->arguments();
  const auto inputs = function.inputs();
  for (std::size_t i = 0; i < std::min(arguments.size(), inputs.size()); ++i) {
    if (writes_to(arguments[i])) for_each_tensor(inputs[i], take);
  }
}

}  // namespace strata::torch_source
