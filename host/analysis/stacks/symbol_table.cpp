// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/stacks/symbol_table.hpp"

#include <gelf.h>

#include <algorithm>

namespace strata::analysis {
namespace {

Elf_Scn* symbol_section(Elf* elf) {
  Elf_Scn* exported = nullptr;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
    if (header.sh_type == SHT_SYMTAB) return section;
    if (header.sh_type == SHT_DYNSYM) exported = section;
  }
  return exported;
}

}  // namespace

SymbolTable::SymbolTable(Elf* elf) {
  Elf_Scn* const section = symbol_section(elf);
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return;
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr) return;
  const std::size_t symbols = data->d_size / header.sh_entsize;
  for (std::size_t index = 0; index < symbols; ++index) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(index), &symbol) == nullptr) break;
    const auto type = GELF_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
    const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr || *name == '\0') continue;
    functions_.push_back({symbol.st_value, symbol.st_value + symbol.st_size, name});
  }
  // If a function has several names (a constructor), the last one remains last.
  std::stable_sort(functions_.begin(), functions_.end(),
                   [](const Function& left, const Function& right) { return left.begin < right.begin; });
}

std::optional<std::string_view> SymbolTable::function_at(std::uint64_t address) const {
  const auto after = std::upper_bound(
      functions_.begin(), functions_.end(), address,
      [](std::uint64_t wanted, const Function& function) { return wanted < function.begin; });
  if (after == functions_.begin()) return std::nullopt;
  const Function& found = *std::prev(after);
  // Assembly gives no sizes: such a function reaches to the next.
  if (found.end > found.begin && address >= found.end) return std::nullopt;
  return found.name;
}

}  // namespace strata::analysis
