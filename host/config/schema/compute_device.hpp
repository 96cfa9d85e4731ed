// SPDX-License-Identifier: Apache-2.0
// The YAML key `device`: cpu, cuda:1, or {dry: h100-80gb, count: 8, answers: counts.yaml, clock: modelled}.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

inline constexpr std::int64_t kMostDryDevices = 64;
// Larger than any context; half of the addresses of a dry device.
inline constexpr std::int64_t kLeastDryMemoryBytes = std::int64_t{1} << 30;
inline constexpr std::int64_t kMostDryMemoryBytes = std::int64_t{1} << 40;
inline constexpr std::int64_t kMostWorkspaceBytes = (std::int64_t{1} << 31) - 1;  // cuSOLVER counts in int

// Also reads the profile and answers of a dry device, so that their errors are reported with all others; a
// relative path starts in `base`. Empty if there was a problem.
std::optional<DeviceConfig> read_device(const WrittenValue& value, const std::filesystem::path& base,
                                        std::vector<Problem>& problems);

// The same for a command line text, "{dry: h100-80gb, count: 8}". Throws ConfigError.
DeviceConfig parse_device(const std::string& text, const std::filesystem::path& base);

}  // namespace strata::config
