// SPDX-License-Identifier: Apache-2.0
// Keeps the ranks' parameters equal: PyTorch's own c10d::Reducer, driven as by DistributedDataParallel.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <memory>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/ranks/rank_group.hpp"

namespace c10d {
class Reducer;
}

namespace strata::trainer {

class GradientSync {
 public:
  // Sets the parameters and buffers of `model` to those of rank 0. From now on gradients are averaged; their
  // buckets are created here. Throws c10::Error if the ranks' models differ in shape.
  GradientSync(const torch::nn::Module& model, const RankGroup& ranks, const config::DdpConfig& config);
  // [loop-thread] Call before the forward of each micro-batch. `is_last`: it is the last one of its step,
  // whose backward averages the accumulated gradients. Sets the buffers to those of rank 0. Returns whether
  // the buckets were recreated, as they are after the first backward, in the order in which gradients
  // arrived.
  bool before_forward(bool is_last);
  // Call between forward and backward of the last micro-batch of a step. That backward ends with averaged
  // gradients.
  void before_backward();

  // One-dimensional, float32 or the dtype of the gradients.
  std::vector<at::Tensor> buckets() const;

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::vector<at::Tensor> buffers_;
  bool buffers_are_stale_ = true;  // the last micro-batch ended a step
  std::shared_ptr<c10d::Reducer> reducer_;
};

}  // namespace strata::trainer
