// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/masks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sources/torch/training/operator_effects.hpp"

namespace strata::torch_source {
namespace {

constexpr std::size_t kMostFollowed = 1024;
// Its schema does not say that it writes to its first argument.
constexpr std::string_view kAllGather = "c10d::_allgather_base_";
constexpr std::string_view kTopK = "aten::topk";

bool is_number(const c10::IValue& value, double number) {
  return value.isScalar() && !value.toScalar().isComplex() && value.toScalar().toDouble() == number;
}

// What is known of a mask is known of its whole storage.
bool covers_storage(const at::Tensor& tensor) {
  return tensor.has_storage() && tensor.is_non_overlapping_and_dense() && tensor.nbytes() > 0 &&
         tensor.nbytes() == tensor.storage().nbytes();
}

// Along which dimension the operator tells the places of the largest values; empty: it does not.
std::optional<std::int64_t> dimension_of_choice(std::string_view name,
                                                c10::ArrayRef<const c10::IValue> inputs) {
  const std::size_t index = name == kTopK ? 2 : 1;
  if ((name != kTopK && name != "aten::argmax") || inputs.size() <= index || !inputs[index].isInt() ||
      !is_on_card(inputs[0]))
    return std::nullopt;
  return inputs[index].toInt();
}

}  // namespace

std::optional<Masks::Content> Masks::content_of(const at::Tensor& tensor) {
  if (!tensor.has_storage()) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  const auto found = followed_.find(tensor.storage().unsafeGetStorageImpl());
  if (found == followed_.end() || found->second.storage.expired()) return std::nullopt;
  return found->second.content;
}

std::optional<std::int64_t> Masks::ones_in(const at::Tensor& tensor) {
  const std::optional<Content> content = content_of(tensor);
  if (!content || content->classes != 0 || content->share == 0.0) return std::nullopt;
  return std::llround(content->share * static_cast<double>(tensor.numel()));
}

std::optional<Masks::Content> Masks::content_of_result(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  const auto inputs = function.inputs();
  const auto content_of_input = [&](std::size_t index) -> std::optional<Content> {
    return index < inputs.size() && is_on_card(inputs[index]) ? content_of(inputs[index].toTensor())
                                                              : std::nullopt;
  };
  const auto mask_of_input = [&](std::size_t index) {
    const auto content = content_of_input(index);
    return content && content->classes == 0 ? content : std::nullopt;
  };
  if (name == "aten::zero_") return Content{};
  if (name == "aten::fill_" && inputs.size() == 2 && is_number(inputs[1], 0.0)) return Content{};
  if (name == "aten::copy_" || name == kAllGather) return content_of_input(1);
  const bool is_comparison = name == "aten::ne" || name == "aten::gt";
  if (is_comparison && inputs.size() == 2 && is_number(inputs[1], 0.0)) return mask_of_input(0);
  if (name == "aten::eq" && inputs.size() == 2 && inputs[1].isScalar()) {
    const auto choices = content_of_input(0);
    if (!choices || choices->classes == 0 || !inputs[1].toScalar().isIntegral(false)) return std::nullopt;
    const auto choice = inputs[1].toScalar().toLong();
    const bool is_one_of_them = choice >= 0 && choice < choices->classes;
    return Content{.share = is_one_of_them ? 1.0 / static_cast<double>(choices->classes) : 0.0};
  }
  if (const auto along = dimension_of_choice(name, inputs)) {
    const at::Tensor& values = inputs[0].toTensor();
    return Content{.classes = values.dim() == 0 ? 1 : values.size(*along)};
  }
  if ((name == "aten::scatter" || name == "aten::scatter_") && inputs.size() == 4 &&
      is_number(inputs[3], 1.0) && is_on_card(inputs[2])) {
    const auto mask = mask_of_input(0);
    const std::int64_t all = inputs[0].toTensor().numel();
    if (mask && all > 0)
      return Content{.share = std::min(1.0, mask->share + static_cast<double>(inputs[2].toTensor().numel()) /
                                                              static_cast<double>(all))};
  }
  return std::nullopt;
}

Masks::Change Masks::begin(const at::RecordFunction& function) {
  Change change{.content = content_of_result(function), .written = written_by(function), .target = {}};
  const auto inputs = function.inputs();
  const bool writes_to_first = !change.written.empty() || function.name() == kAllGather;
  if (change.content && writes_to_first && is_on_card(inputs[0])) change.target = inputs[0].toTensor();
  if (function.name() == kTopK) change.output = 1;
  return change;
}

void Masks::end(const at::RecordFunction& function, const Change& change) {
  const auto& outputs = function.outputs();
  at::Tensor result = change.target;
  if (!result.defined() && change.output < outputs.size() && is_on_card(outputs[change.output]))
    result = outputs[change.output].toTensor();
  const std::scoped_lock lock(mutex_);
  for (const c10::StorageImpl* each : change.written) followed_.erase(each);
  if (!change.content || !result.defined() || !covers_storage(result)) return;
  if (followed_.size() >= kMostFollowed)
    std::erase_if(followed_, [](const auto& each) { return each.second.storage.expired(); });
  if (followed_.size() >= kMostFollowed) followed_.clear();
  followed_.insert_or_assign(result.storage().unsafeGetStorageImpl(),
                             Entry{result.storage().getWeakStorageImpl(), *change.content});
}

}  // namespace strata::torch_source
