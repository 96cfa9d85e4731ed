// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace strata::cli {

// What the run of a command is called: its script's name where an interpreter or a launcher runs one ("train"
// of `python -m torch.distributed.run train.py`), a module's last word (`python -m package.train`), else the
// program's. Of letters, digits, '.', '_' and '-', as a run's folder is.
std::string program_name(const std::vector<std::string>& command);

// Behind a message that the command's first word is no program that can be run: what was meant. Empty:
// unknown.
std::string what_was_meant(const std::vector<std::string>& command);

}  // namespace strata::cli
