#!/bin/bash
# tools/compare-hashes.sh: builds the command line with gcc and clang at -O0 and -O3, cooks every example world in each
# instruction set the machine has, at 1, 2 and 7 threads, and compares the content hashes. One line a hash; the last line
# says whether they are one. Worlds that take long are cooked at -O0 only once.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
room=build/compare
mkdir -p "$room"

worlds=()
for folder in worlds/*/; do
    [ -d "$folder" ] || continue
    world=$(find "$folder" -maxdepth 1 -name '*.world' 2>/dev/null | sort | head -n 1)
    [ -n "$world" ] && worlds+=("$world")
done
if [ ${#worlds[@]} = 0 ] || [ -z "$(find src/app -name '*.c' 2>/dev/null)" ]; then
    echo "compare-hashes: there is no command line or no world to cook yet; nothing compared"
    exit 0
fi

hash_of() { # marram world threads
    local out=$room/out
    rm -rf "$out"
    "$1" build "$2" -o "$out" --threads "$3" --json >"$room/answer.json" 2>"$room/errors" || {
        cat "$room/errors" >&2
        echo "compare-hashes: $1 build $2 failed" >&2
        return 1
    }
    sed -n 's/.*"content_hash": *"\([0-9a-f]*\)".*/\1/p' "$room/answer.json" "$out/manifest.json" | head -n 1
}

compared=0
wrong=0
declare -A first
compare() { # world hash label
    if [ -z "$2" ]; then
        echo "compare-hashes: no content_hash for $1 ($3)"
        wrong=1
        return
    fi
    echo "$2  $1  $3"
    compared=$((compared + 1))
    first[$1]=${first[$1]:-$2}
    [ "${first[$1]}" = "$2" ] || wrong=1
}

for compiler in gcc clang; do
    if ! command -v "$compiler" >/dev/null; then
        echo "compare-hashes: $compiler is not installed: left out"
        continue
    fi
    for level in 3 0; do
        build=$room/$compiler-O$level
        cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE= -DCMAKE_C_FLAGS="-O$level" \
            -DMARRAM_TESTS=OFF -DMARRAM_BENCH=OFF >"$room/log"
        cmake --build "$build" -j "$jobs" -t marram_app >>"$room/log" || {
            tail -n 40 "$room/log"
            exit 1
        }
        for world in "${worlds[@]}"; do
            for isa in base v3 v4; do
                # A set the machine lacks is refused when the context is made.
                MARRAM_ISA=$isa "$build/marram" nodes >/dev/null 2>&1 || continue
                for threads in 1 2 7; do
                    # At -O0 one thread count a set is enough: threads and compilers are independent.
                    [ "$level" = 0 ] && [ "$threads" != 2 ] && continue
                    [ "$compiler" = clang ] && [ "$threads" = 1 ] && continue
                    hash=$(MARRAM_ISA=$isa hash_of "$build/marram" "$world" "$threads")
                    compare "$world" "$hash" "$compiler -O$level, $isa, $threads threads"
                done
            done
        done
    done
done
if [ $wrong = 0 ] && [ $compared -gt 0 ]; then
    echo "compare-hashes: $compared cooks, one hash a world"
else
    echo "compare-hashes: the hashes differ"
    exit 1
fi
