// SPDX-License-Identifier: Apache-2.0
// Whether a program can be given another CUDA.
#pragma once

#include <filesystem>
#include <string>

namespace strata::cli {

// Why the dry GPU cannot take CUDA's place in that program; empty when nothing speaks against it: it is no
// ELF file (a script), or holds no CUDA runtime of its own. Libraries that it opens are not looked at.
std::string why_not_dry(const std::filesystem::path& program);

}  // namespace strata::cli
