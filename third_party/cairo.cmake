# SPDX-License-Identifier: Apache-2.0
# cairo, 1.14 or later: pictures of runs as SVG, PNG and PDF files, from one drawing. What GTK and Firefox draw with. From the
# system: libcairo2-dev, which brings a font by its dependencies. It has no package file that CMake knows.
find_path(cairo_include_dir cairo.h PATH_SUFFIXES cairo REQUIRED)
find_library(cairo_library cairo REQUIRED)
file(STRINGS ${cairo_include_dir}/cairo-version.h cairo_version REGEX "define CAIRO_VERSION_M")
string(REGEX REPLACE "[^0-9;]" "" cairo_version "${cairo_version}")
list(JOIN cairo_version . cairo_version)
mark_as_advanced(cairo_include_dir cairo_library)

if(NOT TARGET cairo::cairo)
  add_library(cairo::cairo UNKNOWN IMPORTED)
  set_target_properties(cairo::cairo PROPERTIES
    IMPORTED_LOCATION ${cairo_library} INTERFACE_INCLUDE_DIRECTORIES ${cairo_include_dir})
endif()
