// SPDX-License-Identifier: Apache-2.0
// CUDA_VISIBLE_DEVICES: which of the devices a process sees, and in which order.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace strata::dry_gpu {

// The devices that are visible, by their numbers among `devices`; all, where the variable is not set. CUDA: a
// list of numbers, or of identities as "GPU-" and as much of the UUID as tells it apart; what follows an
// entry that means no device is not visible. A device that is named again means none here: CUDA does not say.
std::vector<int> visible_devices(std::optional<std::string_view> variable, int devices);

}  // namespace strata::dry_gpu
