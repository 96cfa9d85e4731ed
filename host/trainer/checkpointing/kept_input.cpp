// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/checkpointing/kept_input.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <utility>

namespace strata::trainer {
namespace {

constexpr const char* kName = "input";

at::Tensor host_copy(const at::Tensor& x) {
  const at::NoGradGuard no_gradients;
  const at::TensorOptions options = x.options().device(at::kCPU).pinned_memory(x.is_cuda());
  return at::empty(x.sizes(), options).copy_(x, /*non_blocking=*/true);
}

}  // namespace

void Kept::keep(const at::Tensor& tensor) {
  tensor_ = tensor;
  watched_ = watching_hooks();
  if (watched_) watched_->call_pack_hook(tensor.detach());
}

at::Tensor Kept::take() {
  watched_.reset();
  return std::exchange(tensor_, {});
}

KeptInput::KeptInput(const at::Tensor& x, InputPlace place, const ModuleScope& scope)
    : device_(x.device()),
      is_moved_(place == InputPlace::kHostMemory),
      requires_gradient_(x.requires_grad()) {
  // As it is, not detached: autocast keeps the casts of leaves, and would of one that is none.
  kept_.keep(is_moved_ ? host_copy(x) : x);
  is_moved_ ? scope.offloads(kName, kept_.tensor()) : scope.keeps(kName, x);
}

at::Tensor KeptInput::bring_back(const ModuleScope& scope) const {
  if (!is_moved_) return kept_.tensor();
  at::Tensor back;
  {
    const at::NoGradGuard no_gradients;
    back = kept_.tensor().to(device_, kept_.tensor().scalar_type(), /*non_blocking=*/true, /*copy=*/true);
  }
  scope.keeps(kName, back);
  if (!requires_gradient_) return back;
  // A view, which autocast takes for no weight.
  return back.requires_grad_().view_as(back);
}

}  // namespace strata::trainer
