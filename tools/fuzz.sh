#!/bin/bash
# tools/fuzz.sh SECONDS [NAME...]: runs every fuzz target (or those named) for so long over its seeds in fuzz/corpus.
# What it finds of interest stays in build/fuzz/corpus; what breaks, in build/fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
cmake --preset fuzz
cmake --build --preset fuzz -j "$(nproc)"
failed=0
for program in build/fuzz/fuzz/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=${program##*/fuzz_}
    if [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$name"; then
        continue
    fi
    mkdir -p "build/fuzz/corpus/$name" "build/fuzz/findings/$name" "fuzz/corpus/$name"
    echo "== $name, $seconds s"
    dictionary=
    [ -f "fuzz/$name.dict" ] && dictionary=-dict=fuzz/$name.dict
    "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 $dictionary \
        -artifact_prefix="build/fuzz/findings/$name/" "build/fuzz/corpus/$name" "fuzz/corpus/$name" \
        >"build/fuzz/$name.log" 2>&1 || {
        echo "$name: a finding; the end of build/fuzz/$name.log:"
        tail -n 30 "build/fuzz/$name.log"
        failed=1
    }
    grep -E 'stat::number_of_executed_units|stat::new_units_added' "build/fuzz/$name.log" || true
done
exit $failed
