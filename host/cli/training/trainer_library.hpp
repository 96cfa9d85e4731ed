// SPDX-License-Identifier: Apache-2.0
// libstrata_trainer.so, which links torch: opened only when a run needs it.
#pragma once

#include <filesystem>

#include "host/trainer/entry.hpp"

namespace strata::cli {

struct Trainer {
  trainer::RunFunction run = nullptr;
  std::filesystem::path library;  // the file that contains it
};

// Opens it for the life of the process and finds its entry. Throws UsageError with the reason and the remedy.
Trainer load_trainer();

}  // namespace strata::cli
