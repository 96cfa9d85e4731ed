// SPDX-License-Identifier: Apache-2.0
// The ranks of a training, as one of them sees them.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <cstdint>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/entry.hpp"

namespace strata::trainer {

class RankGroup {
 public:
  // Meets the other ranks; on a CUDA device, which is the current one, with NCCL. Throws std::runtime_error
  // or c10::Error.
  RankGroup(const config::RunConfig& config, const RankPlace& place);
  // Ends the connections. While an exception unwinds the stack it does not wait for the other ranks, which
  // may be gone.
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  const c10::intrusive_ptr<c10d::ProcessGroup>& process_group() const { return group_; }

  struct Agreement {
    double loss;  // the mean of all ranks'
    bool stops;   // some rank was asked to
  };
  // Waits for all ranks, on the CPU: each calls it once a step. On dry devices ranks cannot communicate, and
  // each gets back its own values.
  Agreement agree(double loss, bool stops);

  // The tensors of bytes of all ranks, in the order of their numbers; all of one size and on the CPU. Waits
  // for all ranks. On dry devices only this one's.
  std::vector<at::Tensor> gather(const at::Tensor& bytes) const;

  // What `agree` sends and gets: float64, 2 elements on the CPU; undefined on dry devices.
  const at::Tensor& message() const { return message_; }

 private:
  RankGroup(const config::RunConfig& config, const RankPlace& place, bool others_answer);

  std::int64_t world_size_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Backend> cuda_;        // null on the CPU
  c10::intrusive_ptr<c10d::ProcessGroup> group_;  // where gradients are
  c10::intrusive_ptr<c10d::Backend> cpu_;         // null on dry devices
  at::Tensor message_;
};

}  // namespace strata::trainer
