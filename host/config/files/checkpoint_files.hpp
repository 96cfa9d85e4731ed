// SPDX-License-Identifier: Apache-2.0
// The names of the checkpoints that a run saves: checkpoints/step_<n>.pt in its folder, n steps having been
// taken.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace strata::config {

inline constexpr const char* kCheckpointFolder = "checkpoints";

std::string checkpoint_name(std::uint64_t steps);

// By steps. Files of other names are none, among them those whose writer was killed. Empty where there is no
// such folder.
std::map<std::uint64_t, std::filesystem::path> checkpoints_in(const std::filesystem::path& folder);

// The one with most steps in a run's folder, or in its folder of checkpoints.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& folder);

}  // namespace strata::config
