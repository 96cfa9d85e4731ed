// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace strata::cli {

// The name of a command's run: the script's name if an interpreter or launcher runs one ("train" for `python
// -m torch.distributed.run train.py`), the last part of a module (`python -m package.train`), else the
// program's name. Consists of letters, digits, '.', '_' and '-', like the name of a run's folder.
std::string program_name(const std::vector<std::string>& command);

// For the message that the command's first word is not a runnable program: the probable intention. Empty:
// unknown.
std::string what_was_meant(const std::vector<std::string>& command);

}  // namespace strata::cli
