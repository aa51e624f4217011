# Compiles `source` and fails unless the compiler refuses it with the message that its first line expects; a source whose
# first line expects nothing must compile.
file(STRINGS ${source} first_line LIMIT_COUNT 1)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${compiler} -std=c++20 -fsyntax-only -I ${include} ${source}
  ERROR_VARIABLE said OUTPUT_QUIET RESULT_VARIABLE code)

if(NOT first_line MATCHES "^// expect: (.+)$")
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${source} must compile:\n${said}")
  endif()
  return()
endif()
set(expected "${CMAKE_MATCH_1}")
if(code EQUAL 0)
  message(FATAL_ERROR "${source} compiles")
endif()
if(NOT said MATCHES "${expected}")
  message(FATAL_ERROR "${source} is refused, but not with: ${expected}\n${said}")
endif()
