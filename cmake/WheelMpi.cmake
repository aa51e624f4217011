# The target laxity_mpi_programs: the command line for each family of MPI as a shared object that the program of a wheel loads
# (apps/laxity/launch/wheel_mpi.hpp). Each is a build of its own, because half of the library depends on the MPI. It needs the
# headers of the MPI when the wheel is made, by the names of Debian's compilers, and the library when it runs.
include(ExternalProject)

add_custom_target(laxity_mpi_programs)
foreach(family openmpi mpich)
  find_program(LAXITY_WHEEL_${family}_CXX mpicxx.${family} DOC "Compiler of the MPI of this family, for the wheel")
  mark_as_advanced(LAXITY_WHEEL_${family}_CXX)
  if(NOT LAXITY_WHEEL_${family}_CXX)
    message(WARNING "There is no mpicxx.${family}: this wheel will run on one host under ${family}")
    continue()
  endif()
  set(build ${PROJECT_BINARY_DIR}/${family})
  ExternalProject_Add(laxity_program_${family}
    SOURCE_DIR ${PROJECT_SOURCE_DIR}
    BINARY_DIR ${build}
    CMAKE_ARGS
      -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_POSITION_INDEPENDENT_CODE=ON
      -DLAXITY_PROGRAM_MODULE=${family} -DLAXITY_MPI=ON -DMPI_CXX_COMPILER=${LAXITY_WHEEL_${family}_CXX}
      -DLAXITY_UNITY=${LAXITY_UNITY} -DLAXITY_PYTHON=OFF -DLAXITY_TESTS=OFF -DLAXITY_INSTALL=OFF
      -DCMAKE_DISABLE_FIND_PACKAGE_METIS=ON -DCMAKE_DISABLE_FIND_PACKAGE_hwloc=ON
    BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> --target laxity_cli
    INSTALL_COMMAND ""
    BUILD_ALWAYS ON
    EXCLUDE_FROM_ALL ON)
  add_dependencies(laxity_mpi_programs laxity_program_${family})
  install(FILES ${build}/apps/laxity/program_${family}.so DESTINATION ${SKBUILD_DATA_DIR}/lib/laxity COMPONENT wheel)
endforeach()
