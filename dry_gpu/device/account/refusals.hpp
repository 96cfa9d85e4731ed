// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA's libraries that are not implemented here: each says so once, is counted, and fails. One
// that claimed success would let its caller believe what it never answered.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "dry_gpu/device/account/account.hpp"

namespace strata::dry_gpu {

// One a function, with static storage (the build writes them from symbols/*.txt).
struct Refused {
  const char* name;
  std::atomic<std::uint64_t> calls = 0;
  Refused* next = nullptr;                     // that was refused before it
  std::atomic<RefusedEntry*> entry = nullptr;  // in the process's account, where it has room
};

// [any thread]
void refuse(Refused& function) noexcept;

// For functions of which nobody can see that they did nothing, but for values on a device: 0, every library's
// success. Without a device, or in the child of a process that had one, no library has a handle to call them
// with.
int succeed_without_effect() noexcept;

// What was refused so far.
std::vector<const Refused*> refused();

}  // namespace strata::dry_gpu
