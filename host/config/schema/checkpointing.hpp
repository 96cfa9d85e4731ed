// SPDX-License-Identifier: Apache-2.0
// How `checkpointing` is written: none, block, {every: 2} or {select: attention}, and in a mapping also
// reentrant: true or offload: true.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

inline constexpr std::int64_t kMostBlocks = 10'000;

// Nothing, with what is wrong in `problems`, when the value is none of these.
std::optional<CheckpointingConfig> read_checkpointing(const WrittenValue& value,
                                                      std::vector<Problem>& problems);

// As it is written in YAML.
std::string to_text(const CheckpointingConfig& checkpointing);

}  // namespace strata::config
