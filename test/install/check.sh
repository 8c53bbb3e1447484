#!/bin/bash
# check.sh SOURCE BUILD CC LIBDIR: installs BUILD into a fresh prefix, moves the prefix, and builds and runs two programs
# against it by pkg-config and by find_package: a small one, and the one that docs/c.md shows, which has to come to the
# content hash the command line does.
set -euo pipefail
source=$1 build=$2 cc=$3 libdir=$4
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

cmake --install "$build" --prefix "$room/first" >"$room/log"
mv "$room/first" "$room/prefix"
prefix=$room/prefix
export LD_LIBRARY_PATH=$prefix/$libdir

objdump -p "$prefix/$libdir/libmarram.so" | grep -q 'SONAME *libmarram\.so\.[0-9]' || {
    echo "libmarram.so has no soname"
    exit 1
}

programs=$room/programs
mkdir "$programs"
cp "$source/test/install/CMakeLists.txt" "$source/test/install/program.c" "$programs"
sed -n '/^```c$/,/^```$/{/^```/d;p}' "$source/docs/c.md" >"$programs/world.c"

# The installed command line's answer for a world, with and without a setting.
island=$source/worlds/island/island.world
field=island.vegetation.main
stream_of() {
    echo "randomStream(seed: $1, salt: 1)"
}
for seed in 1 7; do
    "$prefix/bin/marram" build "$island" --set "$field=$(stream_of $seed)" -o "$room/by-command-$seed" --json |
        sed -n 's/^ *"content_hash": "\([0-9a-f]*\)".*/\1/p' >"$room/hash-$seed"
    grep -qE '^[0-9a-f]{32}$' "$room/hash-$seed"
done
if cmp -s "$room/hash-1" "$room/hash-7"; then
    echo "the setting changed nothing"
    exit 1
fi

# check_world PROGRAM: the documented program's hash and files are the command line's, and its errors have their places.
check_world() {
    for seed in 1 7; do
        rm -rf "$room/by-c"
        "$1" "$island" "$room/by-c" $field "$(stream_of $seed)" | cmp - "$room/hash-$seed"
        cmp "$room/by-c/layout.csv" "$room/by-command-$seed/layout.csv"
        cmp "$room/by-c/world.glb" "$room/by-command-$seed/world.glb"
        [ "$(ls "$room/by-c" | tr '\n' ' ')" = "layout.csv manifest.json world.glb " ]
    done
    printf 'part wrong\n  field height = 1 m + 2 s\n' >"$room/wrong.world"
    if "$1" "$room/wrong.world" "$room/never" 2>"$room/said" || [ -e "$room/never" ]; then
        echo "a world with an error was built"
        exit 1
    fi
    grep -q "^$room/wrong.world:2:[0-9]*: error: " "$room/said" || {
        cat "$room/said"
        exit 1
    }
}

export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
for program in program world; do
    # Words are meant to split here.
    # shellcheck disable=SC2046
    "$cc" -std=c99 -pedantic -Wall -Wextra -Werror "$programs/$program.c" -o "$room/$program-by-pkg-config" \
        $(pkg-config --cflags --libs marram) -Wl,-z,defs
done
"$room/program-by-pkg-config"
check_world "$room/world-by-pkg-config"
echo "built and run by pkg-config: marram $(pkg-config --modversion marram)"

cmake -S "$programs" -B "$room/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >>"$room/log"
cmake --build "$room/build" >>"$room/log"
"$room/build/program"
check_world "$room/build/world"
echo "built and run by find_package"

if command -v c++ >/dev/null; then
    for header in "$prefix"/include/marram/*.h; do
        c++ -std=c++11 -pedantic -Wall -Werror -fsyntax-only -I"$prefix/include" -x c++ "$header"
    done
    echo "the headers are C++ too"
fi
