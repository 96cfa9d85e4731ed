// SPDX-License-Identifier: Apache-2.0
// A kernel's arguments, whose number and sizes are unknown. Those of a call are on the caller's stack.
#pragma once

#include <optional>
#include <vector>

#include "dry_gpu/device/memory/address_space.hpp"

namespace strata::dry_gpu {

struct StackedAddresses {
  // In the first words of each argument: as pointers and small structures have them.
  std::vector<Address> near;
  // Behind them, as in structures with many dimensions; also left-overs of earlier calls, which such
  // structures and the stack behind the last argument hold.
  std::vector<Address> far;
};

// What may be device addresses. Empty: the arguments are not on this thread's stack.
std::optional<StackedAddresses> addresses_in(void** arguments, const AddressSpace& space);

}  // namespace strata::dry_gpu
