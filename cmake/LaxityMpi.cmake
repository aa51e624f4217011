# The MPI that this build uses, if any. Its C interface is the target laxity::mpi; LAXITY_HAS_MPI says whether it is there.
# Whoever links laxity::mpi (or a module made of it) is compiled with LAXITY_HAS_MPI=1.
set(LAXITY_MPI AUTO CACHE STRING "Build the parts over MPI: AUTO (if an MPI is found), ON or OFF")
set_property(CACHE LAXITY_MPI PROPERTY STRINGS AUTO ON OFF)

set(LAXITY_HAS_MPI OFF)
if(NOT LAXITY_MPI)
  return()
endif()
set(MPI_CXX_SKIP_MPICXX ON)
if(LAXITY_MPI STREQUAL "AUTO")
  find_package(MPI QUIET COMPONENTS CXX)
else()
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()
if(NOT MPI_CXX_FOUND)
  return()
endif()

set(LAXITY_HAS_MPI ON)
set_property(GLOBAL APPEND PROPERTY LAXITY_LINKED_PACKAGES MPI)
add_library(laxity_mpi INTERFACE)
add_library(laxity::mpi ALIAS laxity_mpi)
if(LAXITY_PROGRAM_MODULE)  # whoever loads the module has loaded the MPI
  target_include_directories(laxity_mpi SYSTEM INTERFACE $<TARGET_PROPERTY:MPI::MPI_CXX,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(laxity_mpi INTERFACE $<TARGET_PROPERTY:MPI::MPI_CXX,INTERFACE_COMPILE_DEFINITIONS>)
else()
  target_link_libraries(laxity_mpi INTERFACE MPI::MPI_CXX)
endif()
target_compile_definitions(laxity_mpi INTERFACE LAXITY_HAS_MPI=1)
set_target_properties(laxity_mpi PROPERTIES EXPORT_NAME mpi)
if(LAXITY_INSTALL)
  install(TARGETS laxity_mpi EXPORT laxityTargets)
endif()

# What lets any launcher start more ranks than there are cores, as root too, and lets ranks that wait give way. MPICH's ranks
# are bound: two that wait for each other may else land on one core, where a yield often leads nowhere for milliseconds.
set(LAXITY_MPI_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
  MPIR_CVAR_POLLS_BEFORE_YIELD=50 HYDRA_BINDING=core)

add_custom_target(mpi_tests)  # what the tests with the label mpi run, for a build against another MPI

# laxity_mpi_test(<name> RANKS n... SOURCES ... [LINK lib...] [TIMEOUT seconds] [LABELS ...])
# One GoogleTest program whose main (tests/mpi/main.cpp) owns MPI, registered once for every number of ranks as <name>_<n>.
# All ranks run the same tests; a failure on any of them is a failure.
function(laxity_mpi_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "RANKS;SOURCES;LINK;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/mpi/main.cpp)
  target_link_libraries(${name} PRIVATE laxity_flags laxity::mpi ${arg_LINK} GTest::gtest)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  add_dependencies(mpi_tests ${name})
  foreach(ranks IN LISTS arg_RANKS)
    add_test(NAME ${name}_${ranks}
      COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${name}>)
    set_tests_properties(${name}_${ranks} PROPERTIES
      TIMEOUT ${arg_TIMEOUT} LABELS "mpi;${arg_LABELS}" ENVIRONMENT "${LAXITY_MPI_ENVIRONMENT};LAXITY_RANKS=${ranks}")
  endforeach()
endfunction()
