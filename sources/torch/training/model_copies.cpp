// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/model_copies.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <atomic>
#include <cstdint>
#include <mutex>
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
  PythonOwner told;
};

struct Copies {
  std::mutex mutex;
  std::unordered_map<const c10::StorageImpl*, Copy> known;
  std::atomic<bool> are_known{false};
};

Copies& copies() {
  static auto& all = *new Copies;  // NOLINT: not destroyed at exit, where operators may be under way
  return all;
}

// It replaces the values that were there.
bool copies_parameter(const at::RecordFunction& function) {
  const auto inputs = function.inputs();
  return std::string_view(function.name()) == "aten::copy_" && inputs.size() > 1 && inputs[1].isTensor() &&
         is_parameter_or_gradient(inputs[1].toTensor());
}

void report_average(const c10::StorageImpl& storage, const PythonOwner& told) {
  const Emission emission;
  if (storage.data() == nullptr || !emission || !emission.wanted(STRATA_INTEREST_TENSOR)) return;
  emission.tensor({.struct_size = sizeof(strata_tensor_event),
                   .role = STRATA_TENSOR_EMA,
                   .name = emission.intern(told.name),
                   .dtype = emission.intern(told.dtype),
                   .device = reported_device(storage.device()),
                   .address = reinterpret_cast<std::uint64_t>(storage.data()),
                   .storage_bytes = storage.nbytes(),
                   .owner_address = 0,
                   .sizes = told.sizes.data(),
                   .dimensions = static_cast<std::uint32_t>(told.sizes.size()),
                   .is_frozen = 0});
}

}  // namespace

void note_copy(const PythonOwner& copy) {
  Copies& all = copies();
  const auto storage = c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(copy.storage);
  const std::lock_guard lock(all.mutex);
  all.known.insert_or_assign(copy.storage, Copy{c10::weak_intrusive_ptr<c10::StorageImpl>(storage), copy});
  all.are_known = true;
}

void report_averaged(const at::RecordFunction& function) {
  Copies& all = copies();
  if (!all.are_known.load(std::memory_order_relaxed) || copies_parameter(function)) return;
  std::vector<Copy> averages;
  for_each_written(function, [&](const at::Tensor& tensor) {
    if (!tensor.has_storage()) return;
    const std::lock_guard lock(all.mutex);
    const auto found = all.known.find(tensor.storage().unsafeGetStorageImpl());
    if (found == all.known.end()) return;
    if (!found->second.storage.expired()) averages.push_back(std::move(found->second));
    all.known.erase(found);
    all.are_known = !all.known.empty();
  });
  for (const Copy& average : averages) {
    if (const auto alive = average.storage.lock()) report_average(*alive, average.told);
  }
}

void forget_copies() {
  Copies& all = copies();
  const std::lock_guard lock(all.mutex);
  all.known.clear();
  all.are_known = false;
}

}  // namespace strata::torch_source
