// The YAML's `device`: cpu, cuda:1, or {dry: h100-80gb, count: 8}.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/written.hpp"

namespace strata::config {

inline constexpr std::int64_t kMostDryDevices = 64;

// A dry device's profile is read, too, so that what is wrong with it is said beside everything else; a
// relative path is one in `base`. Nothing when there was a problem.
std::optional<DeviceConfig> read_device(const WrittenValue& value, const std::filesystem::path& base,
                                        std::vector<Problem>& problems);

}  // namespace strata::config
