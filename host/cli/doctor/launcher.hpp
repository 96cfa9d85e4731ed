// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "host/cli/doctor/check.hpp"

namespace strata::cli {

// For `strata doctor`: the answer of the program started by a launcher.
inline constexpr const char* kAnswerLauncherOption = "--answer-launcher";

// `launcher`: shell words that can be followed by a program's name ("srun -n 1"). Starts it, waits for its
// end, and reports whether the environment from `strata exec` reaches a program started through it.
Finding check_launcher(const std::string& launcher);

// Writes the part of it that reached this process to that file, atomically. Throws std::runtime_error.
void answer_launcher(const std::filesystem::path& file);

}  // namespace strata::cli
