# SPDX-License-Identifier: Apache-2.0
# elfutils' libdw, 0.176 or later, and libelf: names and lines for addresses in the stacks of allocations.
# perf and heaptrack read DWARF with it too. From the system: libdw-dev. It has no package file for CMake.
find_path(elfutils_include_dir elfutils/libdwelf.h REQUIRED)
find_library(elfutils_dw_library dw REQUIRED)
find_library(elfutils_elf_library elf REQUIRED)
file(STRINGS ${elfutils_include_dir}/elfutils/version.h elfutils_version REGEX "define _ELFUTILS_VERSION[ \t]+[0-9]")
string(REGEX REPLACE "[^0-9]" "" elfutils_version "${elfutils_version}")  # 188 is 0.188
string(PREPEND elfutils_version 0.)
mark_as_advanced(elfutils_include_dir elfutils_dw_library elfutils_elf_library)

if(NOT TARGET elfutils::dw)
  add_library(elfutils::elf UNKNOWN IMPORTED)
  set_target_properties(elfutils::elf PROPERTIES
    IMPORTED_LOCATION ${elfutils_elf_library} INTERFACE_INCLUDE_DIRECTORIES ${elfutils_include_dir})
  add_library(elfutils::dw UNKNOWN IMPORTED)
  set_target_properties(elfutils::dw PROPERTIES
    IMPORTED_LOCATION ${elfutils_dw_library} INTERFACE_LINK_LIBRARIES elfutils::elf)
endif()
