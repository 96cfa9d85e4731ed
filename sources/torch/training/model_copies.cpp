// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/model_copies.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sources/torch/host/host_link.hpp"
#include "sources/torch/host/storage_place.hpp"
#include "sources/torch/training/owners.hpp"
#include "sources/torch/training/written_tensors.hpp"
#include "strata/ext/tensor.h"

namespace strata::torch_source {
namespace {

struct Copy {
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  std::optional<c10::weak_intrusive_ptr<c10::StorageImpl>> parameter;  // of a clone
  std::string name, dtype;
  std::vector<std::int64_t> sizes;
  bool is_clone = false;
  bool is_used = false;  // and reported as such
};

enum class Use : std::uint8_t { kReads, kWrites };

struct Copies {
  std::mutex mutex;
  std::unordered_map<const c10::StorageImpl*, Copy> known;
  std::size_t next_look = 1024;  // at which of them are gone, once there are so many
  std::atomic<bool> are_known{false};
  std::atomic<std::uint64_t> noted{0};
  std::atomic<bool> takes_clones_for_used{false};
};

Copies& copies() {
  static auto& all = *new Copies;  // NOLINT: not destroyed at exit, where operators may be under way
  return all;
}

void add_copy(const c10::StorageImpl* storage, Copy copy) {
  Copies& all = copies();
  const std::lock_guard lock(all.mutex);
  all.known.insert_or_assign(storage, std::move(copy));
  all.are_known = true;
  ++all.noted;
  if (all.known.size() < all.next_look) return;
  std::erase_if(all.known, [](const auto& entry) { return entry.second.storage.expired(); });
  all.next_look = std::max<std::size_t>(1024, 2 * all.known.size());
}

const c10::StorageImpl* copied_storage(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

// Null if it is not aten::copy_.
const at::Tensor* tensor_copied_by(const at::RecordFunction& function, std::size_t input) {
  const auto inputs = function.inputs();
  if (std::string_view(function.name()) != "aten::copy_" || inputs.size() < 2 || !inputs[input].isTensor())
    return nullptr;
  return &inputs[input].toTensor();
}

// Of these, aten::copy_ does the copying.
bool copies_by_another(std::string_view name) {
  return name == "aten::_to_copy" || name == "aten::clone";
}

// To a parameter, as a checkpoint is loaded, or to another device.
bool only_restores(const at::RecordFunction& function) {
  const at::Tensor* const target = tensor_copied_by(function, 0);
  const at::Tensor* const source = tensor_copied_by(function, 1);
  return target != nullptr && source != nullptr && target->defined() && source->defined() &&
         (target->device() != source->device() || is_parameter_or_gradient(*target));
}

// It replaces the values that were there.
bool copies_parameter(const at::RecordFunction& function) {
  const at::Tensor* const source = tensor_copied_by(function, 1);
  return source != nullptr && is_parameter_or_gradient(*source);
}

void report_use(std::uint32_t role, const c10::StorageImpl& storage, const Copy& told) {
  const Emission emission;
  if (storage.data() == nullptr || !emission || !emission.wanted(STRATA_INTEREST_TENSOR)) return;
  const auto parameter = told.parameter ? told.parameter->lock() : c10::intrusive_ptr<c10::StorageImpl>();
  emission.tensor({.struct_size = sizeof(strata_tensor_event),
                   .role = role,
                   .name = emission.intern(told.name),
                   .dtype = emission.intern(told.dtype),
                   .device = reported_device(storage.device()),
                   .address = reinterpret_cast<std::uint64_t>(storage.data()),
                   .storage_bytes = storage.nbytes(),
                   .owner_address = parameter ? reinterpret_cast<std::uint64_t>(parameter->data()) : 0,
                   .sizes = told.sizes.data(),
                   .dimensions = static_cast<std::uint32_t>(told.sizes.size()),
                   .is_frozen = 0});
}

// A copy that was there before training and that an operator writes to is an average: it is known no longer.
// One that is used stays known, for it may become one.
void report_uses(const at::RecordFunction& function, Use use) {
  Copies& all = copies();
  std::vector<std::pair<std::uint32_t, Copy>> used;
  std::unique_lock lock(all.mutex);
  const auto look = [&](const at::Tensor& tensor) {
    const auto found = all.known.find(copied_storage(tensor));
    if (found == all.known.end()) return;
    Copy& copy = found->second;
    const bool is_average = use == Use::kWrites && !copy.is_clone;
    if (!copy.storage.expired() && (is_average || !copy.is_used))
      used.emplace_back(is_average ? STRATA_TENSOR_EMA : STRATA_TENSOR_USED_COPY, copy);
    copy.is_used = true;
    if (is_average || copy.is_clone || copy.storage.expired()) all.known.erase(found);
  };
  use == Use::kWrites ? for_each_written(function, look) : for_each_input(function, look);
  all.are_known = !all.known.empty();
  lock.unlock();
  for (const auto& [role, copy] : used) {
    if (const auto alive = copy.storage.lock()) report_use(role, *alive, copy);
  }
}

}  // namespace

void note_copy(const PythonOwner& copy) {
  const auto storage = c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(copy.storage);
  add_copy(copy.storage, {.storage = c10::weak_intrusive_ptr<c10::StorageImpl>(storage),
                          .parameter = std::nullopt,
                          .name = copy.name,
                          .dtype = copy.dtype,
                          .sizes = copy.sizes});
}

void note_clone(const at::Tensor& copy, const at::Tensor& parameter) {
  if (!is_known_parameter(parameter)) return;
  using Weak = c10::weak_intrusive_ptr<c10::StorageImpl>;
  Copy clone{.storage = Weak(copy.storage().getWeakStorageImpl()),
             .parameter = Weak(parameter.storage().getWeakStorageImpl()),
             .name = "copy",
             .dtype = std::string(c10::getDtypeNames(copy.scalar_type()).first),
             .sizes = copy.sizes().vec(),
             .is_clone = true};
  if (copies().takes_clones_for_used)
    return report_use(STRATA_TENSOR_USED_COPY, *copied_storage(copy), clone);
  add_copy(copied_storage(copy), std::move(clone));
}

void report_copy_use(const at::RecordFunction& function) {
  if (!copies().are_known.load(std::memory_order_relaxed)) return;
  if (copies_parameter(function)) return;
  report_uses(function, Use::kWrites);
  if (only_restores(function) || copies_by_another(function.name()) || only_views(function)) return;
  report_uses(function, Use::kReads);
}

std::uint64_t copies_noted() {
  return copies().noted.load(std::memory_order_relaxed);
}

void take_new_clones_for_used() {
  copies().takes_clones_for_used = true;
}

void forget_copies() {
  Copies& all = copies();
  const std::lock_guard lock(all.mutex);
  all.known.clear();
  all.are_known = all.takes_clones_for_used = false;
}

}  // namespace strata::torch_source
