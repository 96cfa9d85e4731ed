// SPDX-License-Identifier: Apache-2.0
// The functions of one ELF file, by address.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct Elf;

namespace strata::analysis {

class SymbolTable {
 public:
  // From .symtab, or for a stripped file from its exports. `elf` must outlive this.
  explicit SymbolTable(Elf* elf);

  // The mangled name of the function that contains the address, which is relative to the file.
  std::optional<std::string_view> function_at(std::uint64_t address) const;

 private:
  struct Function {
    std::uint64_t begin = 0, end = 0;
    const char* name = nullptr;
  };
  std::vector<Function> functions_;  // by their begin
};

}  // namespace strata::analysis
