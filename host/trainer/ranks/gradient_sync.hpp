// SPDX-License-Identifier: Apache-2.0
// Keeps the ranks' parameters the same: PyTorch's own c10d::Reducer, driven as DistributedDataParallel does.
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
  // Gives `model` rank 0's parameters and buffers. Its parameters' gradients are averaged from now on: their
  // buckets are made here. Throws c10::Error when the ranks' models differ in shape.
  GradientSync(const torch::nn::Module& model, const RankGroup& ranks, const config::DdpConfig& config);
  // [loop-thread] Before the forward of each micro-batch. `is_last` of its step is the one whose backward
  // averages what all of them have accumulated. The buffers become rank 0's. Returns whether the buckets were
  // made anew, as they are after the first backward, in the order in which the gradients came.
  bool before_forward(bool is_last);
  // Between forward and backward of the last micro-batch of a step. That backward ends with averaged
  // gradients.
  void before_backward();

  // float32 or whatever the gradients are, one-dimensional.
  std::vector<at::Tensor> buckets() const;

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::vector<at::Tensor> buffers_;
  bool buffers_are_stale_ = true;  // the last micro-batch ended a step
  std::shared_ptr<c10d::Reducer> reducer_;
};

}  // namespace strata::trainer
