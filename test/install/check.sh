#!/bin/bash
# check.sh SOURCE BUILD CC LIBDIR: installs BUILD into a fresh prefix, moves the prefix, and builds and runs one small
# program against it by pkg-config and by find_package.
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

export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
# Words are meant to split here.
# shellcheck disable=SC2046
"$cc" -std=c99 -pedantic -Wall -Werror "$source/test/install/program.c" -o "$room/by-pkg-config" \
    $(pkg-config --cflags --libs marram)
"$room/by-pkg-config"
echo "built and run by pkg-config: marram $(pkg-config --modversion marram)"

cmake -S "$source/test/install" -B "$room/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >>"$room/log"
cmake --build "$room/build" >>"$room/log"
"$room/build/program"
echo "built and run by find_package"

if command -v c++ >/dev/null; then
    for header in "$prefix"/include/marram/*.h; do
        c++ -std=c++11 -pedantic -Wall -Werror -fsyntax-only -I"$prefix/include" -x c++ "$header"
    done
    echo "the headers are C++ too"
fi
