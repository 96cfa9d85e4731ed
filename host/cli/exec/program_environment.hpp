// SPDX-License-Identifier: Apache-2.0
// The variables with which a program of others is started: what is preloaded into it, and the dry GPU.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "host/cli/dry/dry_gpu.hpp"

namespace strata::cli {

using Variables = std::map<std::string, std::string>;  // over our own environment

// `first`, and after it what the variable holds in our own environment, as a list with colons.
void put_first(const char* variable, const std::string& first, Variables& variables);

// Libraries of ours come before those that the user preloads. The recorder's comes before the dry GPU's: it
// needs libc alone.
void add_preloaded(const std::vector<std::filesystem::path>& libraries, Variables& variables);

// Of `device`, as the YAML has it, for the program in that file. Throws UsageError where that cannot run on a
// dry GPU, and as dry_choice does.
DryChoice dry_choice_for(const std::string& device, const std::string& program);

// Writes the choice into `scratch`, where the processes leave their accounts too. Adds the facades to
// `preloaded`.
void add_dry_gpu(const DryChoice& choice, const std::filesystem::path& scratch, Variables& variables,
                 std::vector<std::filesystem::path>& preloaded);

}  // namespace strata::cli
