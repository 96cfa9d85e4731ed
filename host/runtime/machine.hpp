// SPDX-License-Identifier: Apache-2.0
// The machine on which a run was made, for the manifest.
#pragma once

#include <cstdint>
#include <string>

namespace strata {

struct Machine {
  std::string hostname;
  std::string system;  // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;  // "Linux 6.1.0-18-amd64 x86_64"
  std::string processor;
  std::uint32_t logical_processors = 0;
  std::uint64_t memory_bytes = 0;
  std::string boot_id;  // from the kernel: processes with the same id share CLOCK_MONOTONIC
};

// Values that cannot be determined are empty or 0.
Machine this_machine();

}  // namespace strata
