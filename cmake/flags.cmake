# Flags every source is compiled with. The floating-point ones are value-safe and are part of the promise that the
# bits are the same everywhere; nothing else of fast-math may ever be added.
add_library(marram_flags INTERFACE)
target_compile_options(
    marram_flags
    INTERFACE -ffp-contract=off
              -fno-math-errno
              -fno-trapping-math
              -fno-strict-aliasing
              -Wall
              -Wextra
              -Wno-missing-field-initializers
              -Wshadow
              -Wconversion
              -Werror)
target_compile_definitions(marram_flags INTERFACE _GNU_SOURCE MARRAM_VERSION="${PROJECT_VERSION}")
if(MARRAM_SANITIZE)
    target_compile_options(marram_flags INTERFACE -fsanitize=${MARRAM_SANITIZE} -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer)
    target_link_options(marram_flags INTERFACE -fsanitize=${MARRAM_SANITIZE})
endif()
# A fuzzer is guided by what it reaches in the library too.
if(MARRAM_FUZZ)
    target_compile_options(marram_flags INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(marram_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
