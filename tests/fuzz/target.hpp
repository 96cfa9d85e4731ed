// SPDX-License-Identifier: Apache-2.0
// Shared by all fuzz targets: libFuzzer's two functions, and the check that a property holds.
//
// A target is one file that defines LLVMFuzzerTestOneInput. The preset `fuzz` links it with libFuzzer; every
// other build links corpus_main.cpp, which runs it over its corpus as an ordinary test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace strata::fuzz {

// The input as text, terminated by '\0'.
inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string()
                   : std::string(static_cast<const char*>(static_cast<const void*>(data)), size);
}

// An input whose first line gives the kind of the rest.
struct Headed {
  std::string head, rest;
};

inline Headed headed(const std::string& text) {
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? Headed{text, ""} : Headed{text.substr(0, end), text.substr(end + 1)};
}

// A file built with a target, relative to its program: "fuzz", "../lib/strata/plugins".
inline std::filesystem::path beside_the_program(const std::filesystem::path& relative) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / relative).lexically_normal();
}

// Ends the process if `holds` is false: libFuzzer stores the input, and a test fails.
inline void expect(bool holds, std::string_view promise, std::string_view found = {}) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n%s\n", std::string(promise).c_str(), std::string(found).c_str());
  std::abort();
}

}  // namespace strata::fuzz
