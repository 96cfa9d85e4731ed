// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/trainer_library.hpp"

#include <cstdlib>

#include "host/cli/part_library.hpp"
#include "host/drop_in/settings.hpp"

namespace strata::cli {

std::filesystem::path trainer_library_path() {
  return part_library_path("libstrata_trainer.so");
}

trainer::RunFunction load_trainer() {
  // `strata exec -- strata run ...`: what runs in here is recorded by itself.
  unsetenv(drop_in::kAttachVariable);
  return reinterpret_cast<trainer::RunFunction>(find_in_part(
      trainer_library_path(), trainer::kRunSymbol, "the trainer", {"libc10.so", "libtorch_cpu.so"}));
}

}  // namespace strata::cli
