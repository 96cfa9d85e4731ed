# SPDX-License-Identifier: Apache-2.0
# How all of our code is compiled, linked and laid out. The build tree has the same layout as an installation,
# so a program finds its libraries, plugins and sources by the same relative paths in both.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
if(NOT STRATA_FUZZ)  # clang's sanitizers are only in the program, and libraries find them there
  string(APPEND CMAKE_SHARED_LINKER_FLAGS " -Wl,-z,defs")
endif()
include_directories(${PROJECT_SOURCE_DIR})
# __FILE__ in messages is a path relative to the checkout, so that a package does not contain a folder of the
# build machine. Debug information keeps full paths; packages are stripped of it. ccache ignores the folder in
# its hash.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

if(STRATA_SANITIZE)
  add_compile_options(-fsanitize=${STRATA_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${STRATA_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC gives false warnings about code between a sanitizer's checks.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()
if(STRATA_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "STRATA_FUZZ: libFuzzer comes with clang, and this is ${CMAKE_CXX_COMPILER_ID}: cmake --preset fuzz")
endif()

# Use ccache if it is installed. Paths are hashed relative to the checkout, so that a second clone reuses the
# first one's compilations. Depend mode is off: it hashes a file's text, and unity files, which include
# several of ours (docs/decisions/006), contain absolute paths; after preprocessing they are equal.
find_program(STRATA_CCACHE ccache)
if(STRATA_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    ${STRATA_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
