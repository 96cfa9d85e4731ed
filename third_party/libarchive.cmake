# SPDX-License-Identifier: Apache-2.0
# libarchive, 3.4 or later: `strata bundle` writes its .tar.gz with it. From the system: libarchive-dev.
find_package(LibArchive 3.4 REQUIRED)

# A program with the property STRATA_PORTABLE links it from the static archive, without the dependencies of
# formats that we do not use (host/cli/portable.c).
if(NOT TARGET strata_libarchive)
  find_library(libarchive_archive NAMES libarchive.a)
  mark_as_advanced(libarchive_archive)
  add_library(strata_libarchive INTERFACE)
  target_include_directories(strata_libarchive SYSTEM INTERFACE ${LibArchive_INCLUDE_DIRS})
  target_link_libraries(strata_libarchive INTERFACE
    "$<IF:$<BOOL:$<TARGET_PROPERTY:STRATA_PORTABLE>>,${libarchive_archive},${LibArchive_LIBRARIES}>")
endif()
