# How targets of this project are made: one library per module, strict warnings, one line per test.
include(GNUInstallDirs)

add_library(laxity_flags INTERFACE)
target_compile_features(laxity_flags INTERFACE cxx_std_20)
if(LAXITY_WARNINGS)
  # psabi: notes about a change in GCC 4.6, on every file that passes a line-aligned end by value.
  target_compile_options(laxity_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wno-psabi)
endif()
if(LAXITY_SANITIZE)
  target_compile_options(laxity_flags INTERFACE
    -fsanitize=${LAXITY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    -Wno-maybe-uninitialized)  # GCC guesses wrongly about what the sanitizers have put between the lines
  target_link_options(laxity_flags INTERFACE -fsanitize=${LAXITY_SANITIZE})
endif()

set(LAXITY_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)  # include directory of headers made by CMake

# laxity_find(<package>)
# find_package for a third-party library that a compiled module links. The installed laxityConfig.cmake finds it again.
# A macro, because the imported targets belong to the caller's folder.
macro(laxity_find package)
  find_package(${package} REQUIRED)
  set_property(GLOBAL APPEND PROPERTY LAXITY_LINKED_PACKAGES ${package})
endmacro()

# laxity_module(<name> HEADERS ... [GENERATED ...] [SOURCES ...] [DEPENDS module...] [LINK lib...])
# The library laxity::<name> from this folder. GENERATED are headers below LAXITY_GENERATED_DIR, DEPENDS are modules, LINK are
# private third-party libraries, found with laxity_find.
function(laxity_module name)
  cmake_parse_arguments(arg "" "" "HEADERS;GENERATED;SOURCES;DEPENDS;LINK" ${ARGN})
  set(target laxity_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:laxity_flags> ${arg_LINK})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(laxity::${name} ALIAS ${target})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})
  set(header_sets FILE_SET HEADERS)
  if(arg_GENERATED)
    target_sources(${target} ${scope}
      FILE_SET generated TYPE HEADERS BASE_DIRS ${LAXITY_GENERATED_DIR} FILES ${arg_GENERATED})
    list(APPEND header_sets FILE_SET generated)
  endif()
  foreach(module IN LISTS arg_DEPENDS)
    target_link_libraries(${target} ${scope} laxity::${module})
  endforeach()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON)
  set_property(GLOBAL APPEND PROPERTY LAXITY_MODULES ${target})
  if(LAXITY_INSTALL)
    install(TARGETS ${target} EXPORT laxityTargets ${header_sets})
  endif()
endfunction()

# laxity_unity(<target> [SEPARATE source...])
# With LAXITY_UNITY, compiles several sources of a target as one, because most of the time of a small source goes to headers.
# SEPARATE are those that stay alone: they have macros or names of their own that others would see.
function(laxity_unity target)
  cmake_parse_arguments(arg "" "" "SEPARATE" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LAXITY_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(${arg_SEPARATE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# laxity_cold(<target>)
# Compiles a target with -O1 in optimized builds. For code that runs once in a while: options, tables, texts, rules files. GCC
# takes half as long for it as at -O3.
function(laxity_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()

# laxity_test(<name> SOURCES ... [LINK lib...] [TIMEOUT seconds] [LABELS ...])
# One GoogleTest program, registered with CTest as one test.
function(laxity_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)  # which only a hang reaches, also under a sanitizer on a busy machine
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE laxity_flags ${arg_LINK} GTest::gtest GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()

# laxity_example(<name> [LANGUAGE c] [LINK lib...])
# The example main.cpp (or main.c) of this folder; a test runs it and compares what it prints with expected.txt.
function(laxity_example name)
  cmake_parse_arguments(arg "" "LANGUAGE" "LINK" ${ARGN})
  if(NOT arg_LANGUAGE)
    set(arg_LANGUAGE cpp)
  endif()
  set(target example_${name})
  add_executable(${target} main.${arg_LANGUAGE})
  target_link_libraries(${target} PRIVATE laxity_flags laxity::laxity ${arg_LINK})
  add_test(NAME ${target}
    COMMAND ${CMAKE_COMMAND} -D program=$<TARGET_FILE:${target}> -D expected=${CMAKE_CURRENT_SOURCE_DIR}/expected.txt
      -P ${PROJECT_SOURCE_DIR}/cmake/ExpectOutput.cmake)
  set_tests_properties(${target} PROPERTIES TIMEOUT 60 LABELS "example;threads")
endfunction()

# laxity_benchmark(<name> SOURCES ... [LINK lib...] [SMOKE argument...])
# A program that measures and prints ratios. scripts/bench runs it without arguments; with --smoke it passes SMOKE, which
# makes it end within a few seconds (default: --smoke).
function(laxity_benchmark name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;SMOKE" ${ARGN})
  if(NOT arg_SMOKE)
    set(arg_SMOKE --smoke)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE laxity_flags ${arg_LINK})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  list(JOIN arg_SMOKE " " smoke)
  set_property(GLOBAL APPEND PROPERTY LAXITY_BENCHMARKS "$<TARGET_FILE:${name}> ${smoke}\n")
endfunction()

# laxity_add_subfolders()
# Adds every direct sub-folder that has a CMakeLists.txt, in alphabetical order.
function(laxity_add_subfolders)
  file(GLOB lists CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */CMakeLists.txt)
  foreach(list IN LISTS lists)
    cmake_path(GET list PARENT_PATH folder)
    add_subdirectory(${folder})
  endforeach()
endfunction()
