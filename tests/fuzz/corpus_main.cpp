// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over its corpus without libFuzzer: `fuzz_<target> FILE-OR-FOLDER...`. Every fault once
// found stays in the corpus. If the process dies, stderr names the current file.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace {

// By absolute path, because a target may change the working directory.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& named) {
  const std::filesystem::path place = std::filesystem::absolute(named);
  if (!std::filesystem::is_directory(place)) return {place};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(place)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int count, char** arguments) {
  std::size_t inputs = 0;
  for (int argument = 1; argument < count; ++argument) {
    for (const std::filesystem::path& file : files_of(arguments[argument])) {
      std::ifstream stream(file, std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(stream), {});
      std::fprintf(stderr, "%s: %zu bytes\n", file.filename().c_str(), bytes.size());
      LLVMFuzzerTestOneInput(static_cast<const std::uint8_t*>(static_cast<const void*>(bytes.data())),
                             bytes.size());
      ++inputs;
    }
  }
  if (inputs == 0) std::fprintf(stderr, "no input: name files, or a folder of them\n");
  return inputs == 0 ? 1 : 0;
}
