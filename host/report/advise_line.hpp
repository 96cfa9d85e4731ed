// SPDX-License-Identifier: Apache-2.0
// The command that tries changes to a recorded program, so that it fits: what a report of too little memory
// ends with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// "strata advise --device rtx-4090 -- python train.py 16 1"; of a training from a YAML
// "strata advise runs/train/config.yaml --device rtx-4090". CARD and COMMAND stand where the recording does
// not say. `memory_bytes`: of the card; nothing: as the run had it.
std::string advise_command(const analysis::Facts& facts,
                           std::optional<std::uint64_t> memory_bytes = std::nullopt);

// What the command is for: "What would make it fit:".
std::string advise_label(const analysis::Facts& facts);

// Both, in one line or, where that is longer than `width`, in two. The command is never cut, and names files
// as they are seen from the working directory where that is shorter.
std::string advise_line(const analysis::Facts& facts, int width,
                        std::optional<std::uint64_t> memory_bytes = std::nullopt);

}  // namespace strata::report
