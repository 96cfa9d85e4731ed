// SPDX-License-Identifier: Apache-2.0
// Collectives on the CPU (gloo) in a process that is one rank of a job whose other ranks are absent. The dry
// GPU's NCCL does the same for its card.
//
// The peers are assumed to do the same with the same values. So a sum is the rank's own value times the
// number of ranks, and what is gathered has its value for each rank. What another rank alone has (it
// broadcasts, scatters or sends it) is unknown, and the receiving tensor keeps its contents.
#pragma once

#include <torch/library.h>

namespace strata::torch_source {

// While it exists, it answers the collectives of every process group with a backend for the CPU, on any
// thread.
class AbsentPeers {
 public:
  AbsentPeers();

 private:
  torch::Library library_;
};

}  // namespace strata::torch_source
