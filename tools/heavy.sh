#!/bin/bash
# tools/heavy.sh: what is too long for every change: the random tests many times over, ThreadSanitizer, valgrind, the
# heavy mode that cooks every node twice, and ten minutes of every fuzz target. `make heavy` runs it.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)

echo "== the tests, ten times the random cases, each node cooked twice"
MARRAM_TEST_SCALE=10 MARRAM_HEAVY=1 ctest --test-dir build/release -j "$jobs" --output-on-failure --timeout 3600

echo "== ThreadSanitizer"
cmake --preset tsan
cmake --build --preset tsan -j "$jobs"
MARRAM_TEST_SCALE=0.2 ctest --test-dir build/tsan -j "$jobs" --output-on-failure --timeout 3600

if command -v valgrind >/dev/null; then
    echo "== valgrind"
    cmake --preset debug
    cmake --build --preset debug -j "$jobs"
    for program in build/debug/test/test_*; do
        [ -f "$program" ] && [ -x "$program" ] || continue
        # It rounds in its own way, sets no denormal flags and knows no AVX-512: exactness is not its to check.
        case $program in *number_text | *context | *exact* | *structure*) continue ;; esac
        echo "$program"
        MARRAM_ISA=base MARRAM_TEST_SCALE=0.01 valgrind -q --error-exitcode=1 --leak-check=full "$program" >/dev/null
    done
else
    echo "== valgrind is not installed: left out"
fi

echo "== fuzzing"
tools/fuzz.sh 600
