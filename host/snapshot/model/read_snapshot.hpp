// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "host/snapshot/model/snapshot.hpp"

namespace strata::snapshot {

// Reads the pickle of a snapshot: torch.cuda.memory._dump_snapshot() of torch 2.1 to 2.15, what its C++ side
// writes, and `strata export --format memory_viz`. `file` must outlive the snapshot; `name` is for messages.
// Throws SnapshotError. Calls `passed` now and then with the number of bytes read.
Snapshot read_snapshot(std::span<const std::byte> file, const std::string& name,
                       const std::function<void(std::size_t)>& passed = {});

}  // namespace strata::snapshot
