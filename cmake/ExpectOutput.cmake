# Runs `program` and fails unless it ends with 0 and prints exactly what the file `expected` holds.
execute_process(COMMAND ${program} OUTPUT_VARIABLE printed ERROR_VARIABLE complaint RESULT_VARIABLE code)
file(READ ${expected} wanted)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${program} ended with ${code}\n${complaint}")
endif()
if(NOT printed STREQUAL wanted)
  message(FATAL_ERROR "${program} printed\n${printed}\nbut ${expected} holds\n${wanted}")
endif()
