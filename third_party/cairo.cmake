# SPDX-License-Identifier: Apache-2.0
# cairo, 1.14 or later: draws pictures of runs as SVG, PNG and PDF files with the same code. GTK and Firefox
# use it too. From the system: libcairo2-dev, whose dependencies include a font. It has no package file for
# CMake.
#
# A program with the property STRATA_PORTABLE links cairo and its dependencies from static archives: without
# X11, whose functions our code does not call. See host/cli/CMakeLists.txt.
find_path(cairo_include_dir cairo.h PATH_SUFFIXES cairo REQUIRED)
find_library(cairo_library cairo REQUIRED)
file(STRINGS ${cairo_include_dir}/cairo-version.h cairo_version REGEX "define CAIRO_VERSION_M")
string(REGEX REPLACE "[^0-9;]" "" cairo_version "${cairo_version}")
list(JOIN cairo_version . cairo_version)
mark_as_advanced(cairo_include_dir cairo_library)

if(NOT TARGET cairo::cairo)
  set(cairo_archives)
  foreach(name cairo pixman-1 fontconfig freetype png16 expat brotlidec brotlicommon z)
    find_library(cairo_archive_${name} NAMES lib${name}.a)
    mark_as_advanced(cairo_archive_${name})
    list(APPEND cairo_archives ${cairo_archive_${name}})
  endforeach()
  add_library(cairo::cairo INTERFACE IMPORTED)
  target_include_directories(cairo::cairo SYSTEM INTERFACE ${cairo_include_dir})
  target_link_libraries(cairo::cairo INTERFACE
    "$<IF:$<BOOL:$<TARGET_PROPERTY:STRATA_PORTABLE>>,${cairo_archives},${cairo_library}>")
endif()
