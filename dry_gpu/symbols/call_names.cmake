# SPDX-License-Identifier: Apache-2.0
# Writes NAMES, a C++ file with the names of the runtime's and the driver's functions, by their numbers in the
# headers RUNTIME and DRIVER (cupti_runtime_cbid.h, cupti_driver_cbid.h).
#
#   cmake -DRUNTIME=... -DDRIVER=... -DNAMES=... -P call_names.cmake

function(cases_of header prefix cases)
  file(STRINGS ${header} lines REGEX "^ *${prefix}[A-Za-z0-9_]+ *= *[0-9]+")
  set(text "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "${prefix}([A-Za-z0-9_]+) *= *([0-9]+)" matched "${line}")
    set(name ${CMAKE_MATCH_1})
    set(number ${CMAKE_MATCH_2})
    if(NOT name MATCHES "^(INVALID|SIZE|FORCE_INT)$")
      string(APPEND text "    case ${number}:\n      return \"${name}\";\n")
    endif()
  endforeach()
  if(text STREQUAL "")
    message(FATAL_ERROR "${header}: no ${prefix}... is there")
  endif()
  set(${cases} "${text}" PARENT_SCOPE)
endfunction()

cases_of(${RUNTIME} CUPTI_RUNTIME_TRACE_CBID_ runtime)
cases_of(${DRIVER} CUPTI_DRIVER_TRACE_CBID_ driver)
file(WRITE ${NAMES} "// Written by symbols/call_names.cmake.
#include \"dry_gpu/cupti/call_names.hpp\"

namespace strata::dry_gpu {
namespace {

const char* runtime_name(std::uint32_t function) {
  switch (function) {
${runtime}    default:
      return nullptr;
  }
}

const char* driver_name(std::uint32_t function) {
  switch (function) {
${driver}    default:
      return nullptr;
  }
}

}  // namespace

const char* call_name(CUpti_CallbackDomain domain, std::uint32_t function) {
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) return runtime_name(function);
  return domain == CUPTI_CB_DOMAIN_DRIVER_API ? driver_name(function) : nullptr;
}

}  // namespace strata::dry_gpu
")
