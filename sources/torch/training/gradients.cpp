// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/gradients.hpp"

#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace strata::torch_source {
namespace {

using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl>;

constexpr int kBackwardsAlike = 3;
constexpr int kBackwardsBetweenLooks = 7;

// As left by its node. Only addresses are compared: freed objects are not accessed.
struct Accumulated {
  WeakTensor parameter;
  const c10::StorageImpl* gradient;
  std::uint32_t version;
};

struct Gradients {
  std::mutex mutex;
  std::vector<Accumulated> accumulated;  // in the backward under way
  std::unordered_map<const c10::TensorImpl*, WeakTensor> parameters;
  bool has_new_parameter = false;
  int alike = 0;    // backwards in a row
  int skipped = 0;  // since one was looked at
  bool never_skips = false;
};

Gradients& gradients() {
  static auto& all = *new Gradients;  // NOLINT: not destroyed at exit, where backward may be under way
  return all;
}

at::Tensor alive(const WeakTensor& parameter) {
  auto tensor = parameter.lock();
  return tensor ? at::Tensor(std::move(tensor)) : at::Tensor();
}

const c10::StorageImpl* storage_of_gradient(const at::Tensor& parameter) {
  const at::Tensor& gradient = parameter.grad();
  return gradient.defined() && gradient.has_storage() ? gradient.storage().unsafeGetStorageImpl() : nullptr;
}

std::uint32_t version_of(const at::Tensor& tensor) {
  return tensor.is_inference() ? 0 : tensor.unsafeGetTensorImpl()->version_counter().current_version();
}

bool is_as_it_was(const Accumulated& then) {
  const at::Tensor parameter = alive(then.parameter);
  return parameter.defined() && then.gradient != nullptr && storage_of_gradient(parameter) == then.gradient &&
         version_of(parameter) == then.version;
}

}  // namespace

void note_accumulated(const at::Tensor& parameter) {
  Gradients& known = gradients();
  const WeakTensor weak(parameter.getIntrusivePtr());
  const c10::StorageImpl* const gradient = storage_of_gradient(parameter);
  const std::lock_guard lock(known.mutex);
  if (known.never_skips) return;
  const auto found = known.parameters.find(parameter.unsafeGetTensorImpl());
  if (found == known.parameters.end() || found->second.expired()) {
    known.parameters.insert_or_assign(parameter.unsafeGetTensorImpl(), weak);
    known.has_new_parameter = true;
  }
  known.accumulated.push_back({weak, gradient, version_of(parameter)});
}

void never_skip_nodes() {
  Gradients& known = gradients();
  const std::lock_guard lock(known.mutex);
  known.never_skips = true;
  known.accumulated.clear();
  known.parameters.clear();
}

bool may_skip_nodes() {
  Gradients& known = gradients();
  const std::lock_guard lock(known.mutex);
  return !known.never_skips && known.alike >= kBackwardsAlike && known.skipped < kBackwardsBetweenLooks;
}

// Tensors are locked without the mutex: for one held by Python that takes the interpreter's lock, which a
// thread waiting for the mutex may hold.
void end_watched_backward(bool completed) {
  Gradients& known = gradients();
  std::vector<Accumulated> accumulated;
  {
    const std::lock_guard lock(known.mutex);
    accumulated.swap(known.accumulated);
  }
  const bool stayed = completed && !accumulated.empty() && std::ranges::all_of(accumulated, is_as_it_was);
  const std::lock_guard lock(known.mutex);
  known.alike = stayed && !std::exchange(known.has_new_parameter, false) ? known.alike + 1 : 0;
  known.skipped = 0;
}

std::vector<at::Tensor> end_skipped_backward(bool completed) {
  Gradients& known = gradients();
  std::vector<WeakTensor> parameters;
  {
    const std::lock_guard lock(known.mutex);
    ++known.skipped;
    std::erase_if(known.parameters, [](const auto& entry) { return entry.second.expired(); });
    for (const auto& [address, parameter] : known.parameters) parameters.push_back(parameter);
  }
  std::vector<at::Tensor> with_gradient;
  for (const WeakTensor& weak : parameters) {
    at::Tensor parameter = alive(weak);
    if (parameter.defined() && storage_of_gradient(parameter) != nullptr)
      with_gradient.push_back(std::move(parameter));
  }
  if (!completed || with_gradient.empty()) {
    const std::lock_guard lock(known.mutex);
    known.alike = 0;
  }
  return with_gradient;
}

void forget_gradients() {
  Gradients& known = gradients();
  const std::lock_guard lock(known.mutex);
  known.accumulated.clear();
  known.parameters.clear();
  known.has_new_parameter = known.never_skips = false;
  known.alike = known.skipped = 0;
}

}  // namespace strata::torch_source
