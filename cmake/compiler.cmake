# SPDX-License-Identifier: Apache-2.0
# How all of our code is compiled, linked and laid out. The build tree has the shape of an installation,
# so that a program finds its libraries, plugins and sources by the same relative paths in both.

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
if(NOT STRATA_FUZZ)  # clang's sanitizers are in the program alone, and libraries find them there
  string(APPEND CMAKE_SHARED_LINKER_FLAGS " -Wl,-z,defs")
endif()
include_directories(${PROJECT_SOURCE_DIR})
# What __FILE__ says in a message is a path within the checkout: a package names no folder of the machine that built it. Lines for
# debuggers keep whole paths; packages are stripped of them. ccache leaves the folder out of what it hashes.
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
    # GCC warns of what it cannot follow any more between a sanitizer's checks.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()
if(STRATA_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "STRATA_FUZZ: libFuzzer comes with clang, and this is ${CMAKE_CXX_COMPILER_ID}: cmake --preset fuzz")
endif()

# ccache, when it is there. Paths are hashed relative to the checkout, so that a second clone finds what the first one
# compiled. Not in its depend mode: that knows a file by its text, and those that include several of ours (docs/decisions/006)
# name them by whole paths; once preprocessed they are alike.
find_program(STRATA_CCACHE ccache)
if(STRATA_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    ${STRATA_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
