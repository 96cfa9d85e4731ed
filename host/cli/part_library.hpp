// SPDX-License-Identifier: Apache-2.0
// The parts of Strata that hold torch are libraries of their own, opened only when they are needed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace strata::cli {

// Where it is expected: ../lib/strata/ from the folder of the program.
std::filesystem::path part_library_path(const std::string& file);

struct PartSymbol {
  void* address = nullptr;
  std::filesystem::path library;  // the file that it is in: one of those for several releases of torch
};

// Opens the library, for the life of the process, and finds its entry. `part` is what to call it: "the
// trainer". `of_torch`: LibTorch's libraries that it needs. In a build tree it finds these where it was built
// with; else, and where STRATA_TORCH_ROOT is set, they are opened first, and the file is the one for that
// torch (host/cli/torch_libraries.hpp). Throws UsageError with the reason and the remedy.
PartSymbol find_in_part(const std::string& file, const char* symbol, const std::string& part,
                        const std::vector<std::string>& of_torch);

}  // namespace strata::cli
