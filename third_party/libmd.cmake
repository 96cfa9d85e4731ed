# SPDX-License-Identifier: Apache-2.0
# libmd, 1.0 or later: the SHA-256 of a grid cell's configuration, which identifies the cell. BSD's digests;
# dpkg uses it, so every Debian has the library. From the system: libmd-dev. It has no package file for CMake.
find_path(libmd_include_dir sha2.h REQUIRED)
find_library(libmd_library md REQUIRED)
cmake_path(GET libmd_library PARENT_PATH libmd_version)  # its headers do not contain it
if(EXISTS ${libmd_version}/pkgconfig/libmd.pc)
  file(STRINGS ${libmd_version}/pkgconfig/libmd.pc libmd_version REGEX "^Version:")
  string(REGEX REPLACE "[^0-9.]" "" libmd_version "${libmd_version}")
else()
  set(libmd_version "")
endif()
mark_as_advanced(libmd_include_dir libmd_library)

if(NOT TARGET libmd::libmd)
  add_library(libmd::libmd UNKNOWN IMPORTED)
  set_target_properties(libmd::libmd PROPERTIES
    IMPORTED_LOCATION ${libmd_library} INTERFACE_INCLUDE_DIRECTORIES ${libmd_include_dir})
endif()
