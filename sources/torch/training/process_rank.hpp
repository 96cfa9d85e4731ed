// SPDX-License-Identifier: Apache-2.0
// The rank of a process that learns it after its start, as one that torch.multiprocessing.spawn made: from
// torch.distributed, or from RANK if the program sets it. A launcher sets RANK and WORLD_SIZE before.
#pragma once

#include <cstdint>
#include <optional>

#include "strata/host.hpp"

namespace strata::torch_source {

// [any] torch.distributed has it.
void note_rank(std::uint32_t rank);

// [any] As noted, else as the environment has it now.
std::optional<std::uint32_t> process_rank();

// [loop-thread] It is noted again in another run.
void forget_rank();

// [any] Whether the environment has a rank and the number of ranks.
bool has_launchers_rank();

// [loop-thread] In the table `rank` of the run store, if the host has one.
void report_rank(const Host& host, std::uint32_t rank);

}  // namespace strata::torch_source
