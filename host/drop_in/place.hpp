// SPDX-License-Identifier: Apache-2.0
// The rank of this process in its job.
#pragma once

#include <cstdint>

namespace strata::drop_in {

struct ProcessPlace {
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
};

// From the launcher's variables: RANK and WORLD_SIZE (torchrun, accelerate, DeepSpeed), else SLURM_PROCID and
// SLURM_NTASKS, else the only process. Invalid numbers are ignored.
ProcessPlace place_of_process();

}  // namespace strata::drop_in
