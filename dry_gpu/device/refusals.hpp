// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA's libraries that are not implemented here: each logs this once, is counted, and fails. If
// it claimed success, its caller would use results that do not exist.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "dry_gpu/device/account/account.hpp"

namespace strata::dry_gpu {

// One per function, with static storage (generated from symbols/*.txt by the build).
struct Refused {
  const char* name;
  std::atomic<std::uint64_t> calls = 0;
  Refused* next = nullptr;                     // refused before it
  std::atomic<RefusedEntry*> entry = nullptr;  // in the process's account, if it has space
};

// [any thread]
void refuse(Refused& function) noexcept;

// For functions whose missing effect could only be seen in values on a device: returns 0, success in every
// library. Without a device, or in a forked child of a process that had one, no library has a handle with
// which to call them.
int succeed_without_effect() noexcept;

// The functions refused so far.
std::vector<const Refused*> refused();

}  // namespace strata::dry_gpu
