// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/loop/storage_registry.hpp"

#include <algorithm>

#include "host/trainer/tensor_report.hpp"

namespace strata::trainer {

StorageRegistry::StorageRegistry(Session& session) : session_(session), wanted_(session.wants_tensors()) {}

void StorageRegistry::register_model(const torch::nn::Module& model) {
  if (!wanted_) return;
  for (const auto& parameter : model.named_parameters()) {
    show(TensorRole::kParameter, parameter.key(), parameter.value());
    parameters_.push_back({parameter.key(), parameter.value()});
  }
  for (const auto& buffer : model.named_buffers()) show(TensorRole::kBuffer, buffer.key(), buffer.value());
}

void StorageRegistry::register_batch(const Batch& batch) {
  show(TensorRole::kInput, "input", batch.input);
  show(TensorRole::kTarget, "target", batch.target);
}

// Not through the registry, which belongs to the trainer's thread.
void StorageRegistry::register_prefetched(const Batch& batch) const {
  if (!wanted_) return;
  report_tensor(session_, TensorRole::kPrefetch, "input", batch.input);
  report_tensor(session_, TensorRole::kPrefetch, "target", batch.target);
}

void StorageRegistry::register_logits(const at::Tensor& logits) {
  show(TensorRole::kLogits, "logits", logits);
}

void StorageRegistry::register_loss(const at::Tensor& loss) {
  show(TensorRole::kLoss, "loss", loss);
}

void StorageRegistry::register_gradients() {
  for (const NamedParameter& parameter : parameters_) register_gradient(parameter);
}

void StorageRegistry::register_gradient(const NamedParameter& parameter) {
  const at::Tensor& gradient = parameter.tensor.grad();
  if (gradient.defined()) show(TensorRole::kGradient, parameter.name, gradient, parameter.tensor);
}

void StorageRegistry::register_optimizer_state(Optimizer& optimizer) {
  if (!wanted_) return;
  for (const OptimizerState& state : optimizer.state()) {
    show(state.role, state.name, state.tensor, state.parameter);
  }
}

void StorageRegistry::register_scaler(const GradScaler& scaler) {
  show(TensorRole::kScaler, "scale", scaler.scale_tensor());
  show(TensorRole::kScaler, "growth_tracker", scaler.growth_tracker());
}

void StorageRegistry::register_ranks(const RankGroup& ranks) {
  if (ranks.message().defined()) show(TensorRole::kWorkspace, "loss_sync", ranks.message());
}

void StorageRegistry::register_buckets(const GradientSync& gradient_sync) {
  if (!wanted_) return;
  const std::vector<at::Tensor> buckets = gradient_sync.buckets();
  for (std::size_t i = 0; i < buckets.size(); ++i)
    show(TensorRole::kBucket, "bucket_" + std::to_string(i), buckets[i]);
}

void StorageRegistry::show(TensorRole role, std::string_view name, const at::Tensor& tensor,
                           const at::Tensor& owner) {
  if (wanted_ && !is_reported(tensor)) report_tensor(session_, role, name, tensor, owner);
}

bool StorageRegistry::is_reported(const at::Tensor& tensor) {
  const c10::Storage& storage = tensor.storage();
  const void* data = storage.data();
  const auto [place, is_new] =
      reported_.try_emplace(storage.unsafeGetStorageImpl(), Reported{storage.getWeakStorageImpl(), data});
  if (is_new) {
    if (reported_.size() > forget_above_) forget_freed_storages();
    return false;
  }
  if (place->second.data == data) return true;
  place->second.data = data;
  return false;
}

// Called again after twice as many reports as there are live storages, so that its cost per storage is
// constant.
void StorageRegistry::forget_freed_storages() {
  std::erase_if(reported_, [](const auto& entry) { return entry.second.storage.expired(); });
  forget_above_ = std::max(forget_above_, 2 * reported_.size());
}

}  // namespace strata::trainer
