# `make install`: the library with its soname, its headers, a pkg-config file and a CMake package, all of which may be
# moved with their prefix.
include(CMakePackageConfigHelpers)

set_target_properties(marram PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/marram.map)
target_link_options(marram PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/marram.map)

install(TARGETS marram EXPORT marram-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/marram DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
        PATTERN "*.h")
if(TARGET marram_app)
    install(TARGETS marram_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/packages)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/packages DESTINATION ${CMAKE_INSTALL_DATADIR}/marram)
endif()

set(marram_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/marram)
install(EXPORT marram-targets NAMESPACE marram:: DESTINATION ${marram_package_dir})
configure_file(${PROJECT_SOURCE_DIR}/cmake/marram-config.cmake.in ${PROJECT_BINARY_DIR}/generated/marram-config.cmake
               COPYONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/marram-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/marram-config.cmake
              ${PROJECT_BINARY_DIR}/generated/marram-config-version.cmake DESTINATION ${marram_package_dir})

# From lib/pkgconfig (or lib/<triplet>/pkgconfig) up to the prefix.
file(RELATIVE_PATH pc_up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_up ${pc_up})
configure_file(${PROJECT_SOURCE_DIR}/cmake/marram.pc.in ${PROJECT_BINARY_DIR}/generated/marram.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/marram.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
