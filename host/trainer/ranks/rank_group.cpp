// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/ranks/rank_group.hpp"

#include <ATen/ATen.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <vector>

#include "host/trainer/ranks/gloo_backend.hpp"
#include "host/trainer/ranks/nccl_backend.hpp"
#include "host/trainer/ranks/rendezvous.hpp"

namespace strata::trainer {

namespace {

using BackendType = c10d::ProcessGroup::BackendType;

// Its NCCL takes the others to do what this process does. What a rank gets from the first one, the order of
// its buckets say, would be unknown: so each is the first.
RankPlace place_on_dry_device(const RankPlace& place) {
  // Of a large world every 128th rank would have to say where it is; here there is but one.
  setenv("TORCH_NCCL_RANKS_PER_ROOT", std::to_string(place.world_size).c_str(), /*overwrite=*/1);
  return {.rank = 0, .world_size = place.world_size};
}

}  // namespace

RankGroup::RankGroup(const config::RunConfig& config, const RankPlace& place)
    : RankGroup(config, config.device.is_dry() ? place_on_dry_device(place) : place,
                !config.device.is_dry()) {}

RankGroup::RankGroup(const config::RunConfig& config, const RankPlace& place, bool others_answer)
    : world_size_(place.world_size), store_(open_rendezvous(place)) {
  const auto store_of = [this](const char* prefix) {
    return c10::make_intrusive<c10d::PrefixStore>(prefix, store_);
  };
  group_ = c10::make_intrusive<c10d::ProcessGroup>(store_of("group"), static_cast<int>(place.rank),
                                                   static_cast<int>(place.world_size));
  if (others_answer) {
    require_same_configuration(*store_, place, config.resolved_yaml);
    cpu_ = make_gloo_backend(store_of("cpu"), place);
    message_ = at::zeros({2}, at::kDouble);
  }
  if (config.device.kind == config::DeviceKind::kCpu) {
    group_->setBackend(c10::kCPU, BackendType::GLOO, cpu_);
    group_->setDefaultBackend(BackendType::GLOO);
  } else {
    cuda_ = make_nccl_backend(store_of("cuda"), place);
    group_->setBackend(c10::kCUDA, BackendType::NCCL, cuda_);
    group_->setDefaultBackend(BackendType::NCCL);
  }
}

RankGroup::~RankGroup() {
  if (!cuda_) return;
  try {
    if (std::uncaught_exceptions() > 0) {
      cuda_->abort();
    } else {
      cuda_->shutdown();
    }
  } catch (const std::exception&) {
    // Nobody is left to whom it would matter.
  }
}

RankGroup::Agreement RankGroup::agree(double loss, bool stops) {
  if (!cpu_) return {loss, stops};
  auto* const numbers = message_.mutable_data_ptr<double>();
  numbers[0] = loss;
  numbers[1] = stops ? 1.0 : 0.0;
  std::vector<at::Tensor> messages{message_};
  cpu_->allreduce(messages)->wait();
  return {numbers[0] / static_cast<double>(world_size_), numbers[1] > 0.0};
}

std::vector<at::Tensor> RankGroup::gather(const at::Tensor& bytes) const {
  if (!cpu_) return {bytes};
  std::vector<std::vector<at::Tensor>> gathered(1);
  for (std::int64_t rank = 0; rank < world_size_; ++rank) gathered[0].push_back(at::empty_like(bytes));
  std::vector<at::Tensor> own{bytes};
  cpu_->allgather(gathered, own)->wait();
  return std::move(gathered[0]);
}

}  // namespace strata::trainer
