# SPDX-License-Identifier: Apache-2.0
# strata_own_filesystem: libstdc++'s std::filesystem once more, hidden, in a library that programs of others load. libtorch.so
# exports the one that it was built with; where a program names it before libstdc++, calls of ours end there, and crash.
# Without the compiler's libstdc++.a, or with another standard library, the shared one has to do.
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a
  OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)

add_library(strata_own_filesystem INTERFACE)
if(IS_ABSOLUTE "${archive}" AND EXISTS "${archive}")
  set(folder ${PROJECT_BINARY_DIR}/own_filesystem)
  set(copy ${folder}/libstrata_own_filesystem.a)
  if("${archive}" IS_NEWER_THAN "${copy}")
    file(MAKE_DIRECTORY ${folder})
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
