// SPDX-License-Identifier: Apache-2.0
// Names the blocks of LibTorch's allocators: which parameters, buffers and optimizer state they are, and of
// which layer. Compiled against your own LibTorch; links nothing of Strata.
//
//     auto model = std::make_shared<Net>();
//     torch::optim::AdamW optimizer(model->parameters());
//     const auto attached = strata::attach(*model, optimizer);   // before the first step
//
// If there are several models, give each a name to keep their rows apart: strata::attach("critic", *critic,
// optimizer).
//
// Parameters and buffers are reported at once, with the names from `named_parameters()` and
// `named_buffers()`; their paths are the layers. After an optimizer has run, its state is reported too, as
// are parameters that have since moved to another device. Gradients need no call: they are found where
// autograd accumulates them, and get their parameter's name.
//
// If nothing is recorded (strata/trainer.h) each call costs a load and a comparison. Nothing here computes,
// allocates a tensor or changes one; no call throws.
// Threads: one at a time, the loop's. Lifetime: destroy an Attachment before its model and optimizers.
#pragma once

#include <torch/nn/module.h>
#include <torch/optim.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "strata/ext/tensor.h"
#include "strata/trainer.h"

namespace strata {

namespace torch_attach {

inline std::uint64_t address_of(const at::Tensor& tensor) {
  return reinterpret_cast<std::uint64_t>(tensor.storage().data());
}

// Whether it is recorded: on the CPU or CUDA. A tensor on `meta` has a size but no memory.
inline bool has_memory(const at::Tensor& tensor) {
  return tensor.defined() && (tensor.is_cpu() || tensor.is_cuda()) && tensor.has_storage() &&
         tensor.storage().data() != nullptr && tensor.storage().nbytes() > 0;
}

inline void tell(const strata_trainer_calls& calls, std::uint32_t role, const std::string& name,
                 const at::Tensor& tensor, const at::Tensor& owner) {
  const std::string dtype = c10::getDtypeNames(tensor.scalar_type()).first;
  strata_owned_storage storage{};
  storage.struct_size = sizeof storage;
  storage.role = role;
  storage.name = name.c_str();
  storage.dtype = dtype.c_str();
  storage.device.type = tensor.is_cuda() ? STRATA_DEVICE_CUDA : STRATA_DEVICE_CPU;
  storage.device.index = tensor.is_cuda() ? tensor.get_device() : 0;
  storage.address = address_of(tensor);
  storage.storage_bytes = tensor.storage().nbytes();
  storage.owner_address = has_memory(owner) ? address_of(owner) : 0;
  storage.sizes = tensor.sizes().data();
  storage.dimensions = static_cast<std::uint32_t>(tensor.dim());
  storage.is_frozen = role == STRATA_TENSOR_PARAMETER && !tensor.requires_grad() ? 1 : 0;
  calls.tensor(&storage);
}

// The storages already reported. One may be freed and another created at its address.
class ReportedStorages {
 public:
  bool add(const at::Tensor& tensor) {
    const c10::Storage& storage = tensor.storage();
    const auto [place, is_new] = reported_.try_emplace(
        storage.unsafeGetStorageImpl(), ReportedStorage{storage.getWeakStorageImpl(), storage.data()});
    if (is_new) return true;
    if (!place->second.storage.expired() && place->second.data == storage.data()) return false;
    place->second = ReportedStorage{storage.getWeakStorageImpl(), storage.data()};
    return true;
  }

 private:
  struct ReportedStorage {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    const void* data;  // replaced by `Module::to` in a storage that stays
  };
  std::unordered_map<const c10::StorageImpl*, ReportedStorage> reported_;
};

// Calls `take(name, tensor)` for each state tensor of a parameter, in LibTorch's own optimizers. For others
// the state is found where their step writes to it, and has no name.
template <typename Take>
void for_each_state(const torch::optim::OptimizerParamState& state, Take take) {
  using namespace torch::optim;
  if (const auto* const adam = dynamic_cast<const AdamParamState*>(&state)) {
    take("exp_avg", adam->exp_avg());
    take("exp_avg_sq", adam->exp_avg_sq());
    take("max_exp_avg_sq", adam->max_exp_avg_sq());
  } else if (const auto* const adamw = dynamic_cast<const AdamWParamState*>(&state)) {
    take("exp_avg", adamw->exp_avg());
    take("exp_avg_sq", adamw->exp_avg_sq());
    take("max_exp_avg_sq", adamw->max_exp_avg_sq());
  } else if (const auto* const sgd = dynamic_cast<const SGDParamState*>(&state)) {
    take("momentum_buffer", sgd->momentum_buffer());
  } else if (const auto* const rmsprop = dynamic_cast<const RMSpropParamState*>(&state)) {
    take("square_avg", rmsprop->square_avg());
    take("momentum_buffer", rmsprop->momentum_buffer());
    take("grad_avg", rmsprop->grad_avg());
  } else if (const auto* const adagrad = dynamic_cast<const AdagradParamState*>(&state)) {
    take("sum", adagrad->sum());
  } else if (const auto* const lbfgs = dynamic_cast<const LBFGSParamState*>(&state)) {
    take("d", lbfgs->d());
    take("prev_flat_grad", lbfgs->prev_flat_grad());
    for (const at::Tensor& direction : lbfgs->old_dirs()) take("old_dirs", direction);
    for (const at::Tensor& step : lbfgs->old_stps()) take("old_stps", step);
  }
}

// Reports the tensors of one attachment. Must not move: the host has its address.
class Owners {
 public:
  // `prefix` is put before the model's names: "generator.".
  Owners(const strata_trainer_calls& calls, torch::nn::Module& model,
         std::vector<torch::optim::Optimizer*> optimizers, std::string prefix = {})
      : calls_(calls), model_(model), optimizers_(std::move(optimizers)), prefix_(std::move(prefix)) {
    report_all(this);
    calls_.watch_optimizer(&report_all, this);
  }
  ~Owners() { calls_.forget_optimizer(this); }
  Owners(const Owners&) = delete;
  Owners& operator=(const Owners&) = delete;

 private:
  static void report_all(void* self) noexcept {
    try {
      static_cast<Owners*>(self)->report_new();
    } catch (...) {  // out of memory: unreported tensors have no name
    }
  }

  void report_new() {
    if (calls_.wants_tensors() == 0) return;
    for (const auto& parameter : model_.named_parameters())
      report_once(STRATA_TENSOR_PARAMETER, prefix_ + parameter.key(), parameter.value(), {});
    for (const auto& buffer : model_.named_buffers())
      report_once(STRATA_TENSOR_BUFFER, prefix_ + buffer.key(), buffer.value(), {});
    for (torch::optim::Optimizer* const optimizer : optimizers_) report_state(*optimizer);
  }

  void report_state(torch::optim::Optimizer& optimizer) {
    const auto& states = std::as_const(optimizer).state();
    for (const torch::optim::OptimizerParamGroup& group : std::as_const(optimizer).param_groups()) {
      for (const at::Tensor& parameter : group.params()) {
        const auto state = states.find(parameter.unsafeGetTensorImpl());
        if (state == states.end() || state->second == nullptr) continue;
        for_each_state(*state->second, [&](const char* name, const at::Tensor& tensor) {
          report_once(STRATA_TENSOR_OPTIMIZER_STATE, name, tensor, parameter);
        });
      }
    }
  }

  void report_once(std::uint32_t role, const std::string& name, const at::Tensor& tensor,
                   const at::Tensor& owner) {
    if (has_memory(tensor) && reported_.add(tensor)) tell(calls_, role, name, tensor, owner);
  }

  const strata_trainer_calls& calls_;
  torch::nn::Module& model_;
  std::vector<torch::optim::Optimizer*> optimizers_;
  std::string prefix_;
  ReportedStorages reported_;
};

}  // namespace torch_attach

// Returned by `attach`: keep it as long as training lasts.
class Attachment {
 public:
  Attachment() = default;  // attached to nothing
  explicit Attachment(std::unique_ptr<torch_attach::Owners> owners) : owners_(std::move(owners)) {}

 private:
  std::unique_ptr<torch_attach::Owners> owners_;
};

// For several models: a name, which is put before those of its parts: "generator.0.weight". With any number
// of optimizers, also none.
template <typename... Optimizers>
[[nodiscard]] Attachment attach(const char* name, torch::nn::Module& model,
                                Optimizers&... optimizers) noexcept {
  const strata_trainer_calls* const calls = strata_trainer();
  if (calls == nullptr) return {};
  try {
    std::string prefix = name == nullptr ? "" : name;
    if (!prefix.empty()) prefix += '.';
    return Attachment(std::make_unique<torch_attach::Owners>(
        *calls, model, std::vector<torch::optim::Optimizer*>{&optimizers...}, std::move(prefix)));
  } catch (...) {  // out of memory
    return {};
  }
}

// For a program with only one model.
template <typename... Optimizers>
[[nodiscard]] Attachment attach(torch::nn::Module& model, Optimizers&... optimizers) noexcept {
  return attach("", model, optimizers...);
}

// Sets the role of another tensor: name_tensor(STRATA_TENSOR_INPUT, "input", batch.data). Roles are in
// strata/ext/tensor.h. Applies to the storage until it is freed; naming a view names the whole storage.
inline void name_tensor(std::uint32_t role, const char* name, const at::Tensor& tensor) noexcept {
  const strata_trainer_calls* const calls = strata_trainer();
  if (calls == nullptr || calls->wants_tensors() == 0) return;
  try {
    if (torch_attach::has_memory(tensor)) torch_attach::tell(*calls, role, name, tensor, {});
  } catch (...) {  // out of memory
  }
}

}  // namespace strata
