// SPDX-License-Identifier: Apache-2.0
// Processes that were told their rank after they had begun, as torch.multiprocessing.spawn's are: their
// stores begin in the folder of rank 0.
#pragma once

#include <filesystem>

namespace strata::cli {

// Moves each such store and its manifest to the folder of its rank. Call after all processes have ended and
// their stores are recovered. A store that cannot be moved stays where it is.
void move_late_ranks(const std::filesystem::path& run_directory);

}  // namespace strata::cli
