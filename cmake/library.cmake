# One set of objects, three products: libmarram.so, a static archive the tests link (internal names stay reachable),
# and the command line.
file(GLOB_RECURSE marram_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
list(FILTER marram_sources EXCLUDE REGEX "/src/app/")
set(marram_isa_sources ${marram_sources})
list(FILTER marram_isa_sources INCLUDE REGEX "\\.isa\\.c$")
list(FILTER marram_sources EXCLUDE REGEX "\\.isa\\.c$")

# The node registry: src/node/<family>/<name>.c defines mr_node_<family>_<name>, and this list is all that knows it.
file(GLOB node_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/node ${PROJECT_SOURCE_DIR}/src/node/*/*.c)
list(FILTER node_sources EXCLUDE REGEX "/shared_[a-z_]*\\.c$")
list(SORT node_sources)
set(node_externs "")
set(node_entries "")
foreach(source IN LISTS node_sources)
    string(REGEX REPLACE "\\.c$" "" node_name ${source})
    string(REPLACE "/" "_" node_name ${node_name})
    string(APPEND node_externs "extern const mr_node mr_node_${node_name};\n")
    string(APPEND node_entries "    &mr_node_${node_name},\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/node_registry.c.in ${PROJECT_BINARY_DIR}/generated/node_registry.c @ONLY)

if(EXISTS ${PROJECT_SOURCE_DIR}/src/graph/node.h)
    list(APPEND marram_sources ${PROJECT_BINARY_DIR}/generated/node_registry.c)
endif()

# The kernel registry: a file of src/kernel that defines mr_kernel_<its own name> is in it.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/kernel/*.c)
list(SORT kernel_sources)
set(kernel_externs "")
set(kernel_entries "")
foreach(source IN LISTS kernel_sources)
    get_filename_component(kernel_name ${source} NAME_WE)
    file(STRINGS ${source} kernel_lines REGEX "^const mr_kernel mr_kernel_${kernel_name} = ")
    if(kernel_lines)
        set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        string(APPEND kernel_externs "extern const mr_kernel mr_kernel_${kernel_name};\n")
        string(APPEND kernel_entries "    &mr_kernel_${kernel_name},\n")
    endif()
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/kernel_registry.c.in ${PROJECT_BINARY_DIR}/generated/kernel_registry.c @ONLY)
list(APPEND marram_sources ${PROJECT_BINARY_DIR}/generated/kernel_registry.c)

include(${PROJECT_SOURCE_DIR}/cmake/lua.cmake)

add_library(marram_objects OBJECT ${marram_sources})
target_include_directories(marram_objects SYSTEM PRIVATE ${lua_includes})
set(marram_object_targets marram_objects)

# A source named *.isa.c is compiled once per instruction set; base/isa.h gives each copy its own names.
function(marram_add_isa name level)
    if(NOT marram_isa_sources)
        return()
    endif()
    add_library(marram_isa_${name} OBJECT ${marram_isa_sources})
    target_compile_definitions(marram_isa_${name} PRIVATE MARRAM_ISA_NAME=${name} MARRAM_ISA_LEVEL=${level})
    target_compile_options(marram_isa_${name} PRIVATE ${ARGN})
    set(marram_object_targets ${marram_object_targets} marram_isa_${name} PARENT_SCOPE)
endfunction()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    marram_add_isa(base 1 -march=x86-64)
    marram_add_isa(v3 3 -march=x86-64-v3)
    marram_add_isa(v4 4 -march=x86-64-v4 -mprefer-vector-width=512)
else()
    marram_add_isa(base 1)
endif()

foreach(target IN LISTS marram_object_targets)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${target} PRIVATE marram_flags PkgConfig::SPNG PkgConfig::OPENEXR PkgConfig::ZSTD
                                            PkgConfig::XXHASH PkgConfig::JANSSON Threads::Threads)
    list(APPEND marram_all_objects $<TARGET_OBJECTS:${target}>)
endforeach()
list(APPEND marram_all_objects $<TARGET_OBJECTS:marram_lua>)

set(marram_libraries PkgConfig::SPNG PkgConfig::OPENEXR PkgConfig::ZSTD PkgConfig::XXHASH PkgConfig::JANSSON
                     Threads::Threads m)
add_library(marram SHARED ${marram_all_objects})
set_target_properties(marram PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(marram PRIVATE marram_flags ${marram_libraries})
# A function of the library that is in none of its objects is found out here and not by who links it. (What a sanitizer
# adds is found in the program.)
if(NOT MARRAM_SANITIZE AND NOT MARRAM_FUZZ)
    target_link_options(marram PRIVATE -Wl,-z,defs)
endif()
target_include_directories(marram PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

add_library(marram_static STATIC ${marram_all_objects})
target_include_directories(marram_static PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_include_directories(marram_static SYSTEM PUBLIC ${lua_includes})
target_link_libraries(marram_static PUBLIC marram_flags ${marram_libraries})

file(GLOB app_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/app/*.c)
if(app_sources)
    add_executable(marram_app ${app_sources})
    set_target_properties(marram_app PROPERTIES OUTPUT_NAME marram)
    target_link_libraries(marram_app PRIVATE marram_static)
endif()
