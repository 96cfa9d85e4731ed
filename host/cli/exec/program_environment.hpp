// SPDX-License-Identifier: Apache-2.0
// The environment of the user's program: preloaded libraries, and the dry GPU.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "host/cli/dry_gpu.hpp"

namespace strata::cli {

using Variables = std::map<std::string, std::string>;  // in addition to our own environment

// `first`, followed by the value of the variable in our own environment, as a colon-separated list.
void put_first(const char* variable, const std::string& first, Variables& variables);

// Our libraries come before those that the user preloads. The recorder's comes before the dry GPU's, because
// it only needs libc.
void add_preloaded(const std::vector<std::filesystem::path>& libraries, Variables& variables);

// For the part of Strata that runs inside a Python program (python/strata_profiler/trial). Throws UsageError
// if it is not installed.
void add_python_part(Variables& variables);

// For `device`, as in YAML, and the program in that file. Throws UsageError if the program cannot run on a
// dry GPU, and like dry_choice.
DryChoice dry_choice_for(const std::string& device, const std::string& program);

// Writes the choice to `scratch`, where processes also leave their accounts. Adds the replacement libraries
// to `preloaded`.
void add_dry_gpu(const DryChoice& choice, const std::filesystem::path& scratch, Variables& variables,
                 std::vector<std::filesystem::path>& preloaded);

}  // namespace strata::cli
