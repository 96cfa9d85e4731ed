# SPDX-License-Identifier: Apache-2.0
# libstdc++ of g++ 11 or later: the shared one for every program, and a second copy of its std::filesystem,
# strata_own_filesystem, hidden in the libraries that other programs load. libtorch.so exports the
# std::filesystem that it was built with; in a program that lists it before libstdc++, our calls would go
# there and crash.
# Without the compiler's libstdc++.a, or with another standard library, the shared one is used.
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a
  OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)

add_library(strata_own_filesystem INTERFACE)
if(IS_ABSOLUTE "${archive}" AND EXISTS "${archive}")
  set(libstdcxx_version ${CMAKE_CXX_COMPILER_VERSION})
  set(folder ${PROJECT_BINARY_DIR}/own_filesystem)
  set(copy ${folder}/libstrata_own_filesystem.a)
  if("${archive}" IS_NEWER_THAN "${copy}")
    file(MAKE_DIRECTORY ${folder})
    file(REMOVE ${copy})
    execute_process(
      COMMAND ${CMAKE_AR} x ${archive} fs_dir.o fs_ops.o fs_path.o
      WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(
      COMMAND ${CMAKE_AR} qcs ${copy} fs_dir.o fs_ops.o fs_path.o
      WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  target_link_options(strata_own_filesystem INTERFACE LINKER:--exclude-libs,libstrata_own_filesystem.a)
  target_link_libraries(strata_own_filesystem INTERFACE ${copy})
else()
  message(STATUS "No libstdc++.a: a C++ program that is linked with libtorch.so may take std::filesystem from it")
endif()
unset(archive)
unset(folder)
unset(copy)
