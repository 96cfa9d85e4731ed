// SPDX-License-Identifier: Apache-2.0
// What a file's debug information says of an address: source lines, and functions that were inlined.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct Elf;
struct Dwarf;

namespace strata::analysis {

struct SourcePlace {
  std::string function;  // mangled where the compiler wrote it so; empty: only a symbol table knows
  std::string file;      // empty: unknown
  std::uint32_t line = 0;
  bool inlined = false;  // into the place after it
};

class LineTable {
 public:
  // Without debug information it knows nothing. `elf` must outlive this.
  explicit LineTable(Elf* elf);

  // Innermost first; the last one is the function itself. Empty: unknown. The address is in the file's own
  // terms.
  std::vector<SourcePlace> places_at(std::uint64_t address) const;

 private:
  struct End {
    void operator()(Dwarf* dwarf) const;
  };
  struct UnitRange {
    std::uint64_t begin = 0, end = 0, unit_offset = 0;
  };
  std::unique_ptr<Dwarf, End> dwarf_;
  std::vector<UnitRange> ranges_;  // by their begin
};

}  // namespace strata::analysis
