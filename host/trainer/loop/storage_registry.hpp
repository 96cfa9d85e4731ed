// SPDX-License-Identifier: Apache-2.0
// Reports the owners of storages to the session. The trainer registers its tensors after each phase. The
// registry reports those whose storage was not reported yet, so repeated registration costs one look-up each,
// and a replaced storage is never missed.
#pragma once

#include <c10/core/StorageImpl.h>
#include <torch/nn/module.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/trainer/data/batch_reader.hpp"
#include "host/trainer/optimizers/optimizer.hpp"
#include "host/trainer/precision/grad_scaler.hpp"
#include "host/trainer/ranks/gradient_sync.hpp"
#include "host/trainer/ranks/rank_group.hpp"
#include "strata/runtime/session.hpp"

namespace strata::trainer {

class StorageRegistry {
 public:
  // Has no effect unless a plugin wants the session's tensors. `session` must outlive the registry.
  explicit StorageRegistry(Session& session);

  // The parameters and buffers of `model`; gradients are later looked up for these parameters.
  void register_model(const torch::nn::Module& model);
  void register_batch(const Batch& batch);
  // [any] A batch of a later micro-batch, reported for the first time. It becomes an input when
  // `register_batch` reports it.
  void register_prefetched(const Batch& batch) const;
  void register_logits(const at::Tensor& logits);
  void register_loss(const at::Tensor& loss);
  void register_gradients();
  void register_gradient(const NamedParameter& parameter);
  void register_optimizer_state(Optimizer& optimizer);
  void register_scaler(const GradScaler& scaler);
  void register_ranks(const RankGroup& ranks);
  // Call before registering gradients that are views of them.
  void register_buckets(const GradientSync& gradient_sync);

 private:
  // While the weak reference is held, no other storage can have this StorageImpl's address; the data pointer
  // detects memory exchanged within a storage.
  struct Reported {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    const void* data;
  };

  void show(TensorRole role, std::string_view name, const at::Tensor& tensor, const at::Tensor& owner = {});
  bool is_reported(const at::Tensor& tensor);
  void forget_freed_storages();

  Session& session_;
  bool wanted_;
  std::vector<NamedParameter> parameters_;
  std::unordered_map<const c10::StorageImpl*, Reported> reported_;
  std::size_t forget_above_ = 64;
};

}  // namespace strata::trainer
