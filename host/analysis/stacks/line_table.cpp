// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/stacks/line_table.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <cstdlib>
#include <span>

namespace strata::analysis {
namespace {

std::string text_of(Dwarf_Die& die, unsigned int attribute) {
  Dwarf_Attribute found;
  const char* const text = dwarf_formstring(dwarf_attr_integrate(&die, attribute, &found));
  return text == nullptr ? "" : text;
}

std::string function_of(Dwarf_Die& die) {
  std::string name = text_of(die, DW_AT_linkage_name);
  return name.empty() ? text_of(die, DW_AT_name) : name;
}

std::uint64_t number_of(Dwarf_Die& die, unsigned int attribute) {
  Dwarf_Attribute found;
  Dwarf_Word number = 0;
  return dwarf_formudata(dwarf_attr(&die, attribute, &found), &number) == 0 ? number : 0;
}

struct Scopes {
  Dwarf_Die* dies = nullptr;
  int count = 0;
  Scopes() = default;
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
  ~Scopes() { std::free(dies); }
  std::span<Dwarf_Die> all() const { return {dies, static_cast<std::size_t>(std::max(count, 0))}; }
};

void set_line(Dwarf_Die& unit, std::uint64_t address, SourcePlace& place) {
  Dwarf_Line* const line = dwarf_getsrc_die(&unit, address);
  int number = 0;
  if (line == nullptr || dwarf_lineno(line, &number) != 0) return;
  const char* const file = dwarf_linesrc(line, nullptr, nullptr);
  place.file = file == nullptr ? "" : file;
  place.line = static_cast<std::uint32_t>(std::max(number, 0));
}

std::string file_name(Dwarf_Die& unit, std::uint64_t number) {
  Dwarf_Files* files = nullptr;
  if (number == 0 || dwarf_getsrcfiles(&unit, &files, nullptr) != 0) return {};
  const char* const file = dwarf_filesrc(files, number, nullptr, nullptr);
  return file == nullptr ? "" : file;
}

}  // namespace

void LineTable::End::operator()(Dwarf* dwarf) const {
  dwarf_end(dwarf);
}

LineTable::LineTable(Elf* elf) : dwarf_(dwarf_begin_elf(elf, DWARF_C_READ, nullptr)) {
  if (!dwarf_) return;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  std::uint8_t kind = 0;
  while (dwarf_get_units(dwarf_.get(), unit, &unit, nullptr, &kind, &die, nullptr) == 0) {
    if (kind != DW_UT_compile) continue;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    std::ptrdiff_t next = 0;
    while ((next = dwarf_ranges(&die, next, &base, &begin, &end)) > 0)
      ranges_.push_back({begin, end, dwarf_dieoffset(&die)});
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const UnitRange& left, const UnitRange& right) { return left.begin < right.begin; });
}

std::vector<SourcePlace> LineTable::places_at(std::uint64_t address) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](std::uint64_t wanted, const UnitRange& range) { return wanted < range.begin; });
  if (after == ranges_.begin() || address >= std::prev(after)->end) return {};
  Dwarf_Die unit;
  if (dwarf_offdie(dwarf_.get(), std::prev(after)->unit_offset, &unit) == nullptr) return {};

  std::vector<SourcePlace> places(1);
  set_line(unit, address, places.back());
  // The innermost scope at the address, then its enclosing ones as compiled: for an inlined function the
  // first list continues where it was defined.
  Scopes at_address, around;
  at_address.count = dwarf_getscopes(&unit, address, &at_address.dies);
  if (at_address.count <= 0) return places;
  around.count = dwarf_getscopes_die(&at_address.all().front(), &around.dies);
  for (Dwarf_Die& scope : around.all()) {
    const int tag = dwarf_tag(&scope);
    if (tag == DW_TAG_inlined_subroutine) {
      places.back().function = function_of(scope);
      places.back().inlined = true;
      places.push_back({.function = {},
                        .file = file_name(unit, number_of(scope, DW_AT_call_file)),
                        .line = static_cast<std::uint32_t>(number_of(scope, DW_AT_call_line)),
                        .inlined = false});
    } else if (tag == DW_TAG_subprogram) {
      places.back().function = function_of(scope);
      break;
    }
  }
  return places;
}

}  // namespace strata::analysis
