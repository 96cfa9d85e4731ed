// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/trainer_library.hpp"

#include <cstdlib>

#include "host/cli/part_library.hpp"
#include "host/drop_in/settings.hpp"

namespace strata::cli {

Trainer load_trainer() {
  // `strata exec -- strata run ...`: what runs in here is recorded by itself.
  unsetenv(drop_in::kAttachVariable);
  const PartSymbol found = find_in_part("libstrata_trainer.so", trainer::kRunSymbol, "the trainer",
                                        {"libc10.so", "libtorch_cpu.so"});
  return {.run = reinterpret_cast<trainer::RunFunction>(found.address), .library = found.library};
}

}  // namespace strata::cli
