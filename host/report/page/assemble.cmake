# SPDX-License-Identifier: Apache-2.0
# cmake -DTEMPLATE=<page.html> -DSTYLES=<a.css,b.css...> -DLIBRARY=<d3.min.js> -DNOTICE=<its licence> -DSCRIPTS=<a.js,b.js...>
#       -DOUTPUT=<.cpp> -P assemble.cmake
# Inserts the files at the places in the template, and defines the text around @still@, @data@ and @events@.

foreach(part IN ITEMS STYLES SCRIPTS)
  set(${part}_text "")
  string(REPLACE "," ";" files "${${part}}")
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(APPEND ${part}_text "${text}")
  endforeach()
endforeach()
set(style "${STYLES_text}")
set(scripts "${SCRIPTS_text}")
file(READ ${LIBRARY} library)
file(READ ${NOTICE} notice)
if("${notice}" MATCHES "[*]/|</")
  message(FATAL_ERROR "${NOTICE}: would end the comment, or the element, that it is placed in")
endif()
foreach(part IN ITEMS library scripts)
  if("${${part}}" MATCHES "</[sS][cC][rR][iI][pP][tT]")
    message(FATAL_ERROR "${OUTPUT}: the ${part} hold '</script', which would end the element they are placed in")
  endif()
endforeach()

file(READ ${TEMPLATE} page)
foreach(part IN ITEMS style notice library scripts)
  string(FIND "${page}" "@${part}@" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${TEMPLATE}: has no @${part}@")
  endif()
  string(LENGTH "@${part}@" length)
  math(EXPR rest "${position} + ${length}")
  string(SUBSTRING "${page}" 0 ${position} before)
  string(SUBSTRING "${page}" ${rest} -1 after)
  set(page "${before}${${part}}${after}")
endforeach()

# The text before @still@, between it and @data@, between that and @events@, and after.
foreach(part IN ITEMS still data events)
  string(FIND "${page}" "@${part}@" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${TEMPLATE}: has no @${part}@")
  endif()
  string(SUBSTRING "${page}" 0 ${position} before_${part})
  string(LENGTH "@${part}@" length)
  math(EXPR rest "${position} + ${length}")
  string(SUBSTRING "${page}" ${rest} -1 page)
endforeach()
file(WRITE ${OUTPUT}
  "#include \"host/report/page/page_template.hpp\"\n"
  "namespace strata::report {\n"
  "const std::string_view kPageBeforeStill = R\"strata_page(${before_still})strata_page\";\n"
  "const std::string_view kPageBeforeData = R\"strata_page(${before_data})strata_page\";\n"
  "const std::string_view kPageBeforeEvents = R\"strata_page(${before_events})strata_page\";\n"
  "const std::string_view kPageAfterEvents = R\"strata_page(${page})strata_page\";\n"
  "}  // namespace strata::report\n")
