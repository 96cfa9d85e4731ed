// SPDX-License-Identifier: Apache-2.0
// Which of a job's processes this one is.
#pragma once

#include <cstdint>

namespace strata::drop_in {

struct ProcessPlace {
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
};

// As launchers tell it: RANK and WORLD_SIZE (torchrun, accelerate, DeepSpeed), else SLURM_PROCID and
// SLURM_NTASKS, else the only one. What is no such number is as if it were not there.
ProcessPlace place_of_process();

}  // namespace strata::drop_in
