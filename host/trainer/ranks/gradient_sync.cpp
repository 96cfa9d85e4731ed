// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/ranks/gradient_sync.hpp"

#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace strata::trainer {
namespace {

// How much DistributedDataParallel broadcasts at a time.
constexpr std::size_t kBroadcastBytes = std::size_t{250} << 20;

struct Parameters {
  std::vector<at::Tensor> tensors;
  std::unordered_map<std::size_t, std::string> names;
};

Parameters trained_parameters(const torch::nn::Module& model) {
  Parameters parameters;
  for (const auto& parameter : model.named_parameters()) {
    if (!parameter.value().requires_grad()) continue;
    parameters.names.emplace(parameters.tensors.size(), parameter.key());
    parameters.tensors.push_back(parameter.value());
  }
  return parameters;
}

// The first bucket to be filled is small, so that communication begins early, unless the cap was configured.
std::shared_ptr<c10d::Reducer> make_reducer(Parameters parameters,
                                            const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                            const config::DdpConfig& config) {
  const auto cap = static_cast<std::size_t>(config.bucket_cap_bytes);
  const std::size_t first = cap == c10d::kDefaultBucketBytesCap ? c10d::kDefaultFirstBucketBytes : cap;
  const std::vector<std::size_t> limits =
      first == cap ? std::vector<std::size_t>{cap} : std::vector<std::size_t>{first, cap};
  std::vector<bool> sparse(parameters.tensors.size(), false);
  auto [buckets, sizes] = c10d::compute_bucket_assignment_by_size(parameters.tensors, limits, sparse);
  std::ranges::reverse(buckets);
  return std::make_shared<c10d::Reducer>(
      std::move(parameters.tensors), std::move(buckets), group, std::move(sparse),
      /*bucket_bytes_cap=*/static_cast<std::int64_t>(cap), /*find_unused_parameters=*/false,
      config.gradient_as_bucket_view, std::move(parameters.names),
      /*first_bucket_bytes_cap=*/static_cast<std::int64_t>(first), /*skip_all_reduce_unused_params=*/false,
      /*use_python_reducer=*/false, /*bucket_bytes_cap_list=*/std::vector<std::int64_t>());
}

}  // namespace

GradientSync::GradientSync(const torch::nn::Module& model, const RankGroup& ranks,
                           const config::DdpConfig& config)
    : group_(ranks.process_group()) {
  Parameters parameters = trained_parameters(model);
  c10d::verify_params_across_processes(group_, parameters.tensors, std::nullopt);
  std::vector<at::Tensor> all;
  for (const at::Tensor& tensor : model.parameters()) all.push_back(tensor.detach());
  for (const at::Tensor& tensor : model.buffers()) {
    all.push_back(tensor.detach());
    buffers_.push_back(tensor);
  }
  c10d::broadcast_coalesced(group_, all, kBroadcastBytes);
  reducer_ = make_reducer(std::move(parameters), group_, config);
}

bool GradientSync::before_forward(bool is_last) {
  if (is_last) reducer_->prepare_for_forward();
  const bool made_buckets = reducer_->rebuild_buckets();
  if (buffers_are_stale_ && !buffers_.empty()) c10d::broadcast_coalesced(group_, buffers_, kBroadcastBytes);
  buffers_are_stale_ = is_last;
  return made_buckets;
}

void GradientSync::before_backward() {
  reducer_->prepare_for_backward({});
}

std::vector<at::Tensor> GradientSync::buckets() const {
  std::vector<at::Tensor> buckets;
  for (c10d::GradBucket& bucket : reducer_->get_grad_buckets(/*return_zero_tensors=*/false))
    buckets.push_back(bucket.getBuffer());
  return buckets;
}

}  // namespace strata::trainer
