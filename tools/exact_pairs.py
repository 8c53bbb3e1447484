#!/usr/bin/env python3
"""Makes src/num/exact_pairs.h: the f64 functions' tables, each value as the sum of two f64. Needs mpmath.

    tools/exact_pairs.py > src/num/exact_pairs.h
"""

from mpmath import mp, mpf

mp.prec = 400


def pair(value):
    high = float(value)
    return high, float(mpf(value) - mpf(high))


def hexed(*values):
    return ", ".join(v.hex() for v in values)


def table(name, comment, values):
    print(f"// {comment}")
    print(f"static const pair {name}[{len(values)}] = {{")
    for value in values:
        print(f"    {{ {hexed(*pair(value))} }},")
    print("};")
    print()


def part(value, bits):
    """The leading bits of a value."""
    scale = mpf(2) ** (bits - 1 - int(mp.floor(mp.log(value, 2))))
    return mp.floor(value * scale) / scale


def parts(name, value, sizes):
    """A value as parts of so many bits, and what is left."""
    for i, bits in enumerate(sizes, 1):
        print(f"#define {name}_{i} {float(part(value, bits)).hex()}")
        value -= part(value, bits)
    print(f"#define {name}_{len(sizes) + 1} {float(value).hex()}")


def main():
    print("// clang-format off")
    print("// num/exact_pairs.h: made by tools/exact_pairs.py; not to be edited.")
    print()
    print("#ifndef MARRAM_NUM_EXACT_PAIRS_H")
    print("#define MARRAM_NUM_EXACT_PAIRS_H")
    print()
    table("pair_exp2", "2^(i / 32)", [mpf(2) ** (mpf(i) / 32) for i in range(32)])
    print("// For m from 1 + i / 128 to the next: c near 1 / m in few bits (twice that from sqrt 2 on), and log(1 / c).")
    print("static const struct { double c, high, low; } pair_log[128] = {")
    for i in range(128):
        middle = 1 + (mpf(i) + mpf(1) / 2) / 128
        c = mp.nint(512 / middle) / 512
        if i == 0:
            c = mpf(1)
        if i == 127:
            c = mpf(1) / 2
        if i >= 53:
            c *= 2
        print(f"    {{ {hexed(float(c), *pair(-mp.log(c) if c != 1 else mpf(0)))} }},")
    print("};")
    print()
    table("pair_sin", "sin(i / 32)", [mp.sin(mpf(i) / 32) for i in range(27)])
    table("pair_cos", "cos(i / 32)", [mp.cos(mpf(i) / 32) for i in range(27)])
    table("pair_atan", "atan(i / 32)", [mp.atan(mpf(i) / 32) for i in range(33)])
    for name, value in (("half_pi", mp.pi / 2), ("pi", mp.pi), ("log2_e", 1 / mp.log(2)),
                        ("log10_e", 1 / mp.log(10)), ("third", mpf(1) / 3), ("sixth", mpf(1) / 6)):
        print(f"static const pair pair_{name} = {{ {hexed(*pair(value))} }};")
    print()
    parts("PAIR_LN2", mp.log(2), (40,))
    parts("PAIR_LN2_32", mp.log(2) / 32, (36, 36))
    parts("PAIR_HALF_PI", mp.pi / 2, (32, 32, 53))
    print()
    print("#endif")


main()
