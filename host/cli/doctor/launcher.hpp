// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "host/cli/doctor/check.hpp"

namespace strata::cli {

// Of `strata doctor`: the answer of the program that a launcher started.
inline constexpr const char* kAnswerLauncherOption = "--answer-launcher";

// `launcher`: words for the shell, after which a program's name could follow ("srun -n 1"). Starts it, waits
// for its end, and tells whether what `strata exec` hands to a program reaches one behind it.
Finding check_launcher(const std::string& launcher);

// What of it reached this process, to that file, whole. Throws std::runtime_error.
void answer_launcher(const std::filesystem::path& file);

}  // namespace strata::cli
