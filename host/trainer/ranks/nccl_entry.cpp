// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/ranks/nccl_entry.hpp"

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

namespace strata::trainer {

extern "C" __attribute__((visibility("default"))) c10::intrusive_ptr<c10d::Backend> strata_make_nccl_backend(
    const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size) {
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, world_size);
}

}  // namespace strata::trainer
