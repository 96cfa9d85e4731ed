// SPDX-License-Identifier: Apache-2.0
// CUDA_VISIBLE_DEVICES: the devices that a process sees, and their order.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace strata::dry_gpu {

// The visible devices, by their numbers among `devices`; all of them if the variable is not set. CUDA accepts
// a list of numbers, or of identities: "GPU-" and enough of the UUID to be unique. Entries after one that
// matches no device are ignored. A device named twice counts as no match here; CUDA does not define this.
std::vector<int> visible_devices(std::optional<std::string_view> variable, int devices);

}  // namespace strata::dry_gpu
