// SPDX-License-Identifier: Apache-2.0
// The file of a library, if it is still the one that ran.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/stacks/line_table.hpp"
#include "host/analysis/stacks/symbol_table.hpp"

namespace strata::analysis {

class LibraryFile {
 public:
  // Compares the build id; for a file without one, the modification time.
  explicit LibraryFile(const LoadedLibrary& library);

  // Why it has no names; empty if it does.
  const std::string& problem() const { return problem_; }

  // Never empty: innermost first, as in LineTable; only the symbol's name if there are no lines.
  std::vector<SourcePlace> places_at(std::uint64_t address) const;

 private:
  struct Descriptor {
    int number = -1;
    Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();
  };
  struct EndElf {
    void operator()(Elf* elf) const;
  };
  std::string open(const LoadedLibrary& library);

  std::string problem_;
  Descriptor descriptor_;
  std::unique_ptr<Elf, EndElf> elf_;
  std::optional<SymbolTable> symbols_;
  std::optional<LineTable> lines_;
};

}  // namespace strata::analysis
