// The parts of Strata that hold torch are libraries of their own, opened only when they are needed.
#pragma once

#include <filesystem>
#include <string>

namespace strata::cli {

// Where it is expected: ../lib/strata/ from the folder of the program.
std::filesystem::path part_library_path(const std::string& file);

// Opens the library, for the life of the process, and finds its entry. `part` is what to call it: "the
// trainer". Throws UsageError with the reason and the remedy.
void* find_in_part(const std::filesystem::path& library, const char* symbol, const std::string& part);

}  // namespace strata::cli
