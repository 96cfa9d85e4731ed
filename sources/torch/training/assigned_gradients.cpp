// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/assigned_gradients.hpp"

#include <c10/core/TensorImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sources/torch/training/owners.hpp"

namespace strata::torch_source {
namespace {

using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl>;

// The number of steps in which a program shows its behaviour; several optimizers share them.
constexpr int kStepsLookedInto = 16;

struct Optimized {
  WeakTensor parameter;
  bool is_assigned = false;
};

struct AllOptimized {
  std::mutex mutex;
  std::unordered_map<const c10::TensorImpl*, Optimized> parameters;
  int steps = 0;  // since one was new
};

AllOptimized& all_optimized() {
  static auto& all = *new AllOptimized;  // NOLINT: not destroyed at exit, where a step may be under way
  return all;
}

// The parameters to check. After these steps, those that had a gradient assigned.
std::vector<WeakTensor> to_look_at(AllOptimized& known) {
  const std::lock_guard lock(known.mutex);
  if (known.steps == kStepsLookedInto)
    std::erase_if(known.parameters, [](const auto& entry) { return !entry.second.is_assigned; });
  if (known.steps <= kStepsLookedInto) ++known.steps;
  std::vector<WeakTensor> parameters;
  parameters.reserve(known.parameters.size());
  for (const auto& [address, optimized] : known.parameters) parameters.push_back(optimized.parameter);
  return parameters;
}

bool has_unreported_gradient(const at::Tensor& parameter) {
  const at::Tensor& gradient = parameter.grad();
  return gradient.defined() && gradient.has_storage() && gradient.storage().data() != nullptr &&
         !is_told_gradient(gradient);
}

}  // namespace

void note_optimized(c10::TensorImpl* parameter) {
  AllOptimized& known = all_optimized();
  const auto held = c10::intrusive_ptr<c10::TensorImpl>::reclaim_copy(parameter);
  const std::lock_guard lock(known.mutex);
  const auto found = known.parameters.find(parameter);
  if (found != known.parameters.end() && !found->second.parameter.expired()) return;
  known.parameters.insert_or_assign(parameter, Optimized{WeakTensor(held)});
  known.steps = 0;
}

// Tensors are taken hold of without the mutex: of one that Python holds that takes the interpreter's lock.
void report_assigned_gradients() {
  AllOptimized& known = all_optimized();
  for (const WeakTensor& weak : to_look_at(known)) {
    auto held = weak.lock();
    if (!held) continue;
    const at::Tensor parameter(std::move(held));
    if (!has_unreported_gradient(parameter)) continue;
    report_gradient(parameter);
    const std::lock_guard lock(known.mutex);
    const auto found = known.parameters.find(parameter.unsafeGetTensorImpl());
    if (found != known.parameters.end()) found->second.is_assigned = true;
  }
}

void forget_assigned_gradients() {
  AllOptimized& known = all_optimized();
  const std::lock_guard lock(known.mutex);
  known.parameters.clear();
  known.steps = 0;
}

}  // namespace strata::torch_source
