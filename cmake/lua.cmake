# Lua 5.4, built into the library from any Lua 5.4 source folder (the distribution's source package, which scripts/setup
# fetches), because the stock build is not deterministic: src/script/lua_config.h is its configuration, and the few
# places no configuration macro reaches are replaced below, in copies under the build folder. Each replacement must be
# found, so that a source it does not fit is refused and never built half changed.
set(MARRAM_LUA_SOURCE "" CACHE PATH "A Lua 5.4 source folder; empty: where scripts/setup put it")

function(marram_find_lua out)
    set(places "")
    foreach(place IN ITEMS "${MARRAM_LUA_SOURCE}" "$ENV{MARRAM_LUA_SOURCE}"
                           "${PROJECT_SOURCE_DIR}/build/deps/lua5.4-src" "${PROJECT_BINARY_DIR}/deps/lua5.4-src")
        if(place)
            list(APPEND places "${place}/src" "${place}")
        endif()
    endforeach()
    foreach(place IN LISTS places)
        if(EXISTS "${place}/lvm.c" AND EXISTS "${place}/lua.h")
            file(STRINGS "${place}/lua.h" version REGEX "define[ \t]+LUA_VERSION_(MAJOR|MINOR)")
            if(NOT "${version}" MATCHES "MAJOR(_N)?[ \t]+\"?5.*MINOR(_N)?[ \t]+\"?4")
                message(FATAL_ERROR "${place} is not Lua 5.4; name a Lua 5.4 source folder with MARRAM_LUA_SOURCE")
            endif()
            set(${out} "${place}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
    list(JOIN places "\n  " places)
    message(FATAL_ERROR "No Lua 5.4 source was found. Run scripts/setup, which fetches the distribution's source "
                        "package, or name a source folder with -DMARRAM_LUA_SOURCE=...; looked in\n  ${places}")
endfunction()

marram_find_lua(lua_source)
set(lua_folder ${PROJECT_BINARY_DIR}/generated/lua)
set(lua_names lapi lauxlib lbaselib lcode lctype ldebug ldo ldump lfunc lgc llex lmem lobject lopcodes lparser lstate
              lstring lstrlib ltable ltm lundump lutf8lib lvm lzio)

# Each: the source, what is replaced (a regular expression), by what, and why.
function(marram_patch_lua file pattern replacement)
    string(REGEX MATCHALL "${pattern}" found "${${file}}")
    list(LENGTH found count)
    if(NOT count EQUAL 1)
        message(FATAL_ERROR "${lua_source}/${file}.c does not fit: ${count} matches of ${pattern}")
    endif()
    string(REGEX REPLACE "${pattern}" "${replacement}" changed "${${file}}")
    set(${file} "${changed}" PARENT_SCOPE)
endfunction()

foreach(file IN ITEMS lvm ltable ltm lstrlib)
    file(READ ${lua_source}/${file}.c ${file})
    # CMake's lists break at these, so they are put aside while the text is worked on.
    string(REPLACE "[" "@OPEN@" ${file} "${${file}}")
    string(REPLACE "]" "@CLOSE@" ${file} "${${file}}")
    string(REPLACE ";" "@SEMI@" ${file} "${${file}}")
endforeach()
# n // 0 and n % 0 of integers answer 0, as the same of floats does.
marram_patch_lua(lvm "luaG_runerror\\(L, \"attempt to (perform 'n//0'|divide by zero)\"\\)" "return 0")
marram_patch_lua(lvm "luaG_runerror\\(L, \"attempt to perform 'n%%0'\"\\)" "return 0")
# Objects as keys hash by the order in which they were made, not by address.
marram_patch_lua(ltable "#define hashpointer\\(t,p\\)[^\n]*\n"
                 "#define hashpointer(t,p) hashmod(t, _Generic((p), GCObject *: mr_lua_serial((const void *)(size_t)(p)), default: 0u))\n")
# Events nobody can name: a name this long never equals a short key. (__gc stays, for the library's own buffers:
# setmetatable refuses it.)
marram_patch_lua(ltm "\"__mode\"" "\"__mode is not an event of this sandbox whatever a table says\"")
marram_patch_lua(ltm "\"__close\"" "\"__close is not an event of this sandbox whatever a table says\"")
# Matching counts its work.
marram_patch_lua(lstrlib "static int singlematch \\(MatchState \\*ms,[^{@]*{" "\\0 mr_lua_work(ms->L, 1 + (size_t)(ep - p))@SEMI@")
marram_patch_lua(lstrlib "static const char \\*match \\(MatchState \\*ms, const char \\*s, const char \\*p\\) {" "\\0 mr_lua_work(ms->L, 1)@SEMI@")
marram_patch_lua(lstrlib "static const char \\*matchbalance \\(MatchState \\*ms,[^{@]*{" "\\0 mr_lua_work(ms->L, (size_t)(ms->src_end - s) / 16)@SEMI@")
marram_patch_lua(lstrlib "static const char \\*match_capture \\(MatchState \\*ms,[^{@]*{" "\\0 mr_lua_work(ms->L, (size_t)(ms->src_end - s) / 64)@SEMI@")

# Debian's luaconf.h asks for the machine's name, to look for libraries where none is ever looked for.
file(GENERATE OUTPUT ${lua_folder}/lua5.4-deb-multiarch.h CONTENT "#define DEB_HOST_MULTIARCH \"none\"\n")
set(lua_includes ${lua_source} ${lua_folder})

set(lua_sources "")
foreach(file IN LISTS lua_names)
    if(DEFINED ${file})
        string(REPLACE "@OPEN@" "[" ${file} "${${file}}")
        string(REPLACE "@CLOSE@" "]" ${file} "${${file}}")
        string(REPLACE "@SEMI@" ";" ${file} "${${file}}")
        file(GENERATE OUTPUT ${lua_folder}/${file}.c CONTENT "${${file}}")
        list(APPEND lua_sources ${lua_folder}/${file}.c)
    else()
        list(APPEND lua_sources ${lua_source}/${file}.c)
    endif()
endforeach()

add_library(marram_lua OBJECT ${lua_sources})
target_include_directories(marram_lua PRIVATE ${lua_includes} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
# The float flags are those of every other source; the warnings are Lua's own business.
target_compile_options(marram_lua PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing -w)
# Unoptimized and sanitized, one of the interpreter's frames takes 40 kB, and 200 calls within calls no stack.
target_compile_options(marram_lua PRIVATE $<$<CONFIG:Debug>:-O1>)
target_compile_definitions(marram_lua PRIVATE _GNU_SOURCE LUA_USER_H="script/lua_config.h")
if(MARRAM_SANITIZE)
    target_compile_options(marram_lua PRIVATE -fsanitize=${MARRAM_SANITIZE} -fno-sanitize-recover=all
                                              -fno-omit-frame-pointer)
endif()
if(MARRAM_FUZZ)
    target_compile_options(marram_lua PRIVATE -fsanitize=fuzzer-no-link)
endif()
