// SPDX-License-Identifier: Apache-2.0
// The file names of a run's checkpoints: checkpoints/step_<n>.pt in its folder, after n steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace strata::config {

inline constexpr const char* kCheckpointFolder = "checkpoints";

std::string checkpoint_name(std::uint64_t steps);

// By steps. Ignores files with other names, including incomplete ones of a killed writer. Empty if there is
// no such folder.
std::map<std::uint64_t, std::filesystem::path> checkpoints_in(const std::filesystem::path& folder);

// The checkpoint with the most steps in a run's folder, or in its folder of checkpoints.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& folder);

}  // namespace strata::config
