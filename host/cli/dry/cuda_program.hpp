// SPDX-License-Identifier: Apache-2.0
// Whether a program can run with a replacement for CUDA.
#pragma once

#include <filesystem>
#include <string>

namespace strata::cli {

// Why the dry GPU cannot replace CUDA in that program. Empty if there is no obstacle: it is not an ELF file
// (a script), or contains no CUDA runtime of its own. Libraries that it opens are not examined.
std::string why_not_dry(const std::filesystem::path& program);

}  // namespace strata::cli
