# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=<file> -P in_an_empty_folder.cmake: runs PROGRAM with the name of an empty folder, which is
# removed afterwards.
string(RANDOM LENGTH 12 name)
set(folder $ENV{TMPDIR})
if(NOT folder)
  set(folder /tmp)
endif()
string(APPEND folder /torch_smoke.${name})
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${PROGRAM} ${folder} RESULT_VARIABLE status)
file(REMOVE_RECURSE ${folder})
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}")
endif()
