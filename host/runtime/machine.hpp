// SPDX-License-Identifier: Apache-2.0
// The machine that a run was made on, for the manifest.
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
  std::string boot_id;  // the kernel's: processes that share it share CLOCK_MONOTONIC
};

// What cannot be found out is empty or 0.
Machine this_machine();

}  // namespace strata
