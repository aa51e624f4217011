# What `cmake --install` lays down, so that find_package(laxity) works from the installed tree.
include(CMakePackageConfigHelpers)

set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/laxity)
get_property(LAXITY_LINKED_PACKAGES GLOBAL PROPERTY LAXITY_LINKED_PACKAGES)
list(REMOVE_DUPLICATES LAXITY_LINKED_PACKAGES)
list(JOIN LAXITY_LINKED_PACKAGES " " LAXITY_LINKED_PACKAGES)

install(EXPORT laxityTargets NAMESPACE laxity:: DESTINATION ${destination})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/laxityConfig.cmake.in
  ${PROJECT_BINARY_DIR}/laxityConfig.cmake INSTALL_DESTINATION ${destination})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/laxityConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/laxityConfig.cmake ${PROJECT_BINARY_DIR}/laxityConfigVersion.cmake
    ${CMAKE_CURRENT_LIST_DIR}/FindMETIS.cmake ${CMAKE_CURRENT_LIST_DIR}/Findhwloc.cmake
  DESTINATION ${destination})
