# SPDX-License-Identifier: Apache-2.0
# strata_unity_by_folder(TARGET): where several files are compiled as one (docs/decisions/006), group them by
# folder: a new file changes only its own folder's unit, and the compiler cache keeps the others. Generated
# files are compiled separately.
function(strata_unity_by_folder target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT IS_ABSOLUTE "${source}")
      cmake_path(GET source PARENT_PATH folder)
      string(MAKE_C_IDENTIFIER "files_${folder}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
