// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/masks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "sources/torch/training/operator_effects.hpp"

namespace strata::torch_source {
namespace {

constexpr std::size_t kMostFollowed = 1024;
// Its schema does not say that it writes to its first argument.
constexpr std::string_view kAllGather = "c10d::_allgather_base_";

bool is_number(const c10::IValue& value, double number) {
  return value.isScalar() && !value.toScalar().isComplex() && value.toScalar().toDouble() == number;
}

// What is known of a mask is known of its whole storage.
bool covers_storage(const at::Tensor& tensor) {
  return tensor.has_storage() && tensor.is_non_overlapping_and_dense() && tensor.nbytes() > 0 &&
         tensor.nbytes() == tensor.storage().nbytes();
}

}  // namespace

std::optional<double> Masks::share_of(const at::Tensor& tensor) {
  if (!tensor.has_storage()) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  const auto found = masks_.find(tensor.storage().unsafeGetStorageImpl());
  if (found == masks_.end() || found->second.storage.expired()) return std::nullopt;
  return found->second.share;
}

std::optional<std::int64_t> Masks::ones_in(const at::Tensor& tensor) {
  const std::optional<double> share = share_of(tensor);
  if (!share || *share == 0.0) return std::nullopt;
  return std::llround(*share * static_cast<double>(tensor.numel()));
}

std::optional<double> Masks::share_of_result(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  const auto inputs = function.inputs();
  const auto share_of_input = [&](std::size_t index) -> std::optional<double> {
    return index < inputs.size() && is_on_card(inputs[index]) ? share_of(inputs[index].toTensor())
                                                              : std::nullopt;
  };
  if (name == "aten::zero_") return 0.0;
  if (name == "aten::fill_" && inputs.size() == 2 && is_number(inputs[1], 0.0)) return 0.0;
  if (name == "aten::copy_" || name == kAllGather) return share_of_input(1);
  const bool is_comparison = name == "aten::ne" || name == "aten::gt";
  if (is_comparison && inputs.size() == 2 && is_number(inputs[1], 0.0)) return share_of_input(0);
  if ((name == "aten::scatter" || name == "aten::scatter_") && inputs.size() == 4 &&
      is_number(inputs[3], 1.0) && is_on_card(inputs[2])) {
    const std::optional<double> share = share_of_input(0);
    const std::int64_t all = inputs[0].toTensor().numel();
    if (share && all > 0)
      return std::min(1.0,
                      *share + static_cast<double>(inputs[2].toTensor().numel()) / static_cast<double>(all));
  }
  return std::nullopt;
}

Masks::Change Masks::begin(const at::RecordFunction& function) {
  Change change{.share = share_of_result(function), .written = written_by(function), .target = {}};
  const auto inputs = function.inputs();
  const bool writes_to_first = !change.written.empty() || function.name() == kAllGather;
  if (change.share && writes_to_first && is_on_card(inputs[0])) change.target = inputs[0].toTensor();
  return change;
}

void Masks::end(const at::RecordFunction& function, const Change& change) {
  const auto& outputs = function.outputs();
  at::Tensor result = change.target;
  if (!result.defined() && outputs.size() == 1 && is_on_card(outputs[0])) result = outputs[0].toTensor();
  const std::scoped_lock lock(mutex_);
  for (const c10::StorageImpl* each : change.written) masks_.erase(each);
  if (!change.share || !result.defined() || !covers_storage(result)) return;
  if (masks_.size() >= kMostFollowed)
    std::erase_if(masks_, [](const auto& each) { return each.second.storage.expired(); });
  if (masks_.size() >= kMostFollowed) masks_.clear();
  masks_.insert_or_assign(result.storage().unsafeGetStorageImpl(),
                          Entry{result.storage().getWeakStorageImpl(), *change.share});
}

}  // namespace strata::torch_source
