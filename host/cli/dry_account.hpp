// What dry processes own up to: of this one, or of all that a command started.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/config/device_profile.hpp"

namespace strata::cli {

struct DryAccount {
  struct Refused {
    std::string function;
    std::uint64_t calls = 0;
  };

  std::uint64_t processes = 0;  // that asked for a device
  std::uint64_t kernels_not_run = 0;
  std::uint64_t library_calls_not_computed = 0;
  std::uint64_t unknown_reads = 0, unknown_read_bytes = 0, unknown_times = 0;
  std::vector<Refused> refused;  // by function
};

// The sum over the accounts that processes left in `folder`; one that cannot be read is left out.
DryAccount read_dry_accounts(const std::filesystem::path& folder);

// As summary.json has it (docs/summary.md), without its blanks.
std::string dry_json(const config::DeviceProfile& profile, std::int64_t devices, const DryAccount& account);

}  // namespace strata::cli
