#!/usr/bin/env python3
"""Makes src/num/wide_tables.h: the constants of the wide numbers behind the exact math functions. Needs mpmath.

    tools/wide_tables.py > src/num/wide_tables.h
"""

from mpmath import mp, mpf

mp.prec = 2000


def words(value, count, weight=0):
    """The leading bits of value / 2^weight in [0, 1) as 32-bit words, most significant first."""
    scaled = int(mp.floor(mpf(value) / mpf(2) ** weight * mpf(2) ** (32 * count)))
    return [(scaled >> (32 * (count - 1 - i))) & 0xFFFFFFFF for i in range(count)]


def emit_words(name, values, comment):
    print(f"// {comment}")
    print(f"static const uint32_t {name}[{len(values)}] = {{")
    for i in range(0, len(values), 7):
        print("    " + ", ".join(f"0x{v:08x}u" for v in values[i:i + 7]) + ",")
    print("};")
    print()


def emit_wide(name, value, comment):
    exponent = 0
    value = mpf(value)
    while value / mpf(2) ** exponent >= 1:
        exponent += 1
    while value / mpf(2) ** exponent < 0.5:
        exponent -= 1
    w = words(value, 8, exponent)
    print(f"// {comment}")
    print(f"static const wide {name} = {{ {{ " + ", ".join(f"0x{v:08x}u" for v in w[:5]) + ",")
    print("    " + ", ".join(f"0x{v:08x}u" for v in w[5:]) + f" }}, {exponent}, false }};")
    print()


def main():
    print("// clang-format off")
    print("// num/wide_tables.h: made by tools/wide_tables.py; not to be edited.")
    print()
    print("#ifndef MARRAM_NUM_WIDE_TABLES_H")
    print("#define MARRAM_NUM_WIDE_TABLES_H")
    print()
    emit_words("two_over_pi", words(2 / mp.pi, 44), "2 / pi: bit i from the left, counted from 1, weighs 2^-i.")
    emit_wide("wide_ln2", mp.log(2), "log 2")
    emit_wide("wide_ln10", mp.log(10), "log 10")
    emit_wide("wide_half_pi", mp.pi / 2, "pi / 2")
    print("// atan(k / 4), k from 1")
    print("static const wide wide_atan_quarters[4] = {")
    for k in range(1, 5):
        value = mp.atan(mpf(k) / 4)
        exponent = -2 if value < 0.25 else -1 if value < 0.5 else 0
        if value / mpf(2) ** exponent >= 1:
            exponent += 1
        assert 0.5 <= value / mpf(2) ** exponent < 1
        w = words(value, 8, exponent)
        print("    { { " + ", ".join(f"0x{v:08x}u" for v in w) + f" }}, {exponent}, false }},")
    print("};")
    print()
    print("#endif")


main()
