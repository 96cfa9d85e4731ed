// SPDX-License-Identifier: Apache-2.0
// A file's debug information for an address: source lines and inlined functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct Elf;
struct Dwarf;

namespace strata::analysis {

struct SourcePlace {
  std::string function;  // mangled if the compiler wrote it so; empty: only in the symbol table
  std::string file;      // empty: unknown
  std::uint32_t line = 0;
  bool inlined = false;  // into the next place
};

class LineTable {
 public:
  // Empty without debug information. `elf` must outlive this.
  explicit LineTable(Elf* elf);

  // Innermost first; the last one is the function itself. Empty if unknown. The address is relative to the
  // file.
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
