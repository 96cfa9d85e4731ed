// SPDX-License-Identifier: Apache-2.0
// The ranks of a training, from the view of one rank.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <cstdint>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/entry.hpp"

namespace strata::trainer {

class RankGroup {
 public:
  // Connects to the other ranks; for a CUDA device, which is the current one, with NCCL. Throws
  // std::runtime_error or c10::Error.
  RankGroup(const config::RunConfig& config, const RankPlace& place);
  // Closes the connections. During exception unwinding it does not wait for the other ranks, which may be
  // gone.
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  const c10::intrusive_ptr<c10d::ProcessGroup>& process_group() const { return group_; }

  struct Agreement {
    double loss;  // the mean over all ranks
    bool stops;   // some rank was asked to stop
  };
  // Waits for all ranks, on the CPU: each calls it once per step. On dry devices ranks cannot communicate,
  // and each gets its own values back.
  Agreement agree(double loss, bool stops);

  // The byte tensors of all ranks, ordered by rank; all of the same size and on the CPU. Waits for all ranks.
  // On dry devices only this rank's tensor.
  std::vector<at::Tensor> gather(const at::Tensor& bytes) const;

  // The message of `agree`: float64, 2 elements on the CPU; undefined on dry devices.
  const at::Tensor& message() const { return message_; }

 private:
  RankGroup(const config::RunConfig& config, const RankPlace& place, bool others_answer);

  std::int64_t world_size_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Backend> cuda_;        // null on the CPU
  c10::intrusive_ptr<c10d::ProcessGroup> group_;  // for gradients
  c10::intrusive_ptr<c10d::Backend> cpu_;         // null on dry devices
  at::Tensor message_;
};

}  // namespace strata::trainer
