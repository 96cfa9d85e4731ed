// SPDX-License-Identifier: Apache-2.0
// libstrata_trainer.so, which holds torch: opened only when a run needs it.
#pragma once

#include <filesystem>

#include "host/trainer/entry.hpp"

namespace strata::cli {

// Where it is expected: ../lib/strata/ from the folder of the program.
std::filesystem::path trainer_library_path();

// Opens it, for the life of the process, and finds its entry. Throws UsageError with the reason and the
// remedy.
trainer::RunFunction load_trainer();

}  // namespace strata::cli
