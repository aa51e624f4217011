# Builds the project in project/ in a fresh folder `scratch` and runs it; `way` is installed or subfolder. As a subfolder with
# the flags of this build, so that a compiler cache has the objects.
function(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\n${said}")
  endif()
endfunction()

file(REMOVE_RECURSE ${scratch})
if(way STREQUAL installed)
  run(${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix)
  set(where -D CMAKE_PREFIX_PATH=${scratch}/prefix)
else()
  set(where -D laxity_source=${source} -D LAXITY_WARNINGS=ON -D CMAKE_CXX_FLAGS=${flags}
    -D CMAKE_CXX_COMPILER_LAUNCHER=${launcher})
endif()
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${scratch}/build
  -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE= ${where})
run(${CMAKE_COMMAND} --build ${scratch}/build --target consumer)
run(${scratch}/build/consumer)
