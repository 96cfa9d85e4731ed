// SPDX-License-Identifier: Apache-2.0
// The command that finds changes with which a recorded program fits: the last line of a report about too
// little memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// "strata advise --device rtx-4090 -- python train.py 16 1"; for a training from YAML "strata advise
// runs/train/config.yaml --device rtx-4090". CARD and COMMAND stand for values that were not recorded.
// `memory_bytes`: of the card; empty: as in the run.
std::string advise_command(const analysis::Facts& facts,
                           std::optional<std::uint64_t> memory_bytes = std::nullopt);

// The purpose of the command: "What would make it fit:".
std::string advise_label(const analysis::Facts& facts);

// Both, in one line, or in two if it is longer than `width`. The command is never cut. File names are
// relative to the working directory if that is shorter.
std::string advise_line(const analysis::Facts& facts, int width,
                        std::optional<std::uint64_t> memory_bytes = std::nullopt);

}  // namespace strata::report
