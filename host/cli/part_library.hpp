// SPDX-License-Identifier: Apache-2.0
// The parts of Strata that link torch are separate libraries, opened only when needed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace strata::cli {

// The expected place: ../lib/strata/ from the program's folder.
std::filesystem::path part_library_path(const std::string& file);

struct PartSymbol {
  void* address = nullptr;
  std::filesystem::path library;  // the file that contains it: one of those for different torch releases
};

// Opens the library for the life of the process and finds its entry. `part` is its name in messages: "the
// trainer". `of_torch`: the LibTorch libraries that it needs. In a build tree the library finds those it was
// built with. Otherwise, and if STRATA_TORCH_ROOT is set, they are opened first, and the file is the one for
// that torch (host/cli/torch_libraries.hpp). Throws UsageError with the reason and the remedy.
PartSymbol find_in_part(const std::string& file, const char* symbol, const std::string& part,
                        const std::vector<std::string>& of_torch);

}  // namespace strata::cli
