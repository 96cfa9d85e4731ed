// SPDX-License-Identifier: Apache-2.0
// The forms of `checkpointing`: none, block, {every: 2} or {select: attention}; a mapping may also contain
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

// Empty, with an error in `problems`, if the value has another form.
std::optional<CheckpointingConfig> read_checkpointing(const WrittenValue& value,
                                                      std::vector<Problem>& problems);

// Its YAML form.
std::string to_text(const CheckpointingConfig& checkpointing);

}  // namespace strata::config
