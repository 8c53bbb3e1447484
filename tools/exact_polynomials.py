#!/usr/bin/env python3
"""Makes src/num/exact_polynomials.h: the polynomials of the exact math functions. Needs mpmath.

Each is the interpolant at Chebyshev nodes of the function named beside it, worked with 400 bits, its coefficients then
rounded to f64. The greatest error of the rounded polynomial on a dense grid, relative to the answer it is a part of, is
written beside it (arithmetic's own rounding comes on top).

    tools/exact_polynomials.py > src/num/exact_polynomials.h
"""

from mpmath import mp, mpf

mp.prec = 400


def interpolant(function, low, high, degree):
    """Coefficients, lowest first, of the interpolant at the Chebyshev nodes of [low, high]."""
    count = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    # Newton's divided differences, then expanded.
    table = [function(x) for x in nodes]
    for level in range(1, count):
        for i in range(count - 1, level - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (nodes[i] - nodes[i - level])
    coefficients = [mpf(0)]
    for i in range(count - 1, -1, -1):
        shifted = [mpf(0)] + coefficients
        for k, c in enumerate(coefficients):
            shifted[k] -= nodes[i] * c
        shifted[0] += table[i]
        coefficients = shifted
    return [float(c) for c in coefficients[:count]]


def estrin(coefficients, variable):
    """The statements and the expression of a sum by pairs, whose depth grows with the logarithm of its length."""
    parts = [("-" if c < 0 else "") + float(abs(c)).hex() for c in coefficients]
    lines, power, level = [], variable, 0
    while len(parts) > 1:
        joined = []
        for i in range(0, len(parts) - 1, 2):
            joined.append(f"({parts[i]} + {parts[i + 1]} * {power})")
        if len(parts) % 2:
            joined.append(parts[-1])
        parts = joined
        if len(parts) > 1:
            following = f"{variable}{2 ** (level + 1)}"
            lines.append(f"    double {following} = {power} * {power};")
            power = following
        level += 1
    text = parts[0]
    if text.startswith("("):
        text = text[1:-1]
    return lines, text


def emit(name, comment, function, low, high, degree, whole):
    """whole(x, p) is the answer made with the polynomial's value p, and whole(x, None) the true answer."""
    coefficients = interpolant(function, mpf(low), mpf(high), degree)
    worst = mpf(0)
    for i in range(2001):
        x = mpf(low) + (mpf(high) - mpf(low)) * i / 2000
        p = mp.polyval([mpf(c) for c in reversed(coefficients)], x)
        true = whole(x, None)
        if true:
            worst = max(worst, abs(whole(x, p) / true - 1))
    bits = mp.floor(-mp.log(worst, 2) * 10) / 10
    print(f"// {comment}. Error below 2^-{mp.nstr(bits, 3)}.")
    print(f"static inline double exact_poly_{name}(double x)")
    print("{")
    lines, text = estrin(coefficients, "x")
    for line in lines:
        print(line)
    print(f"    return {text};")
    print("}")
    print()


def by_series(direct, series, threshold=mpf(2) ** -40):
    """direct(x), or its series about 0 where the direct form cancels."""
    return lambda x: series(x) if abs(x) < threshold else direct(x)


def main():
    print("// clang-format off")
    print("// num/exact_polynomials.h: made by tools/exact_polynomials.py; not to be edited.")
    print()
    print("#ifndef MARRAM_NUM_EXACT_POLYNOMIALS_H")
    print("#define MARRAM_NUM_EXACT_POLYNOMIALS_H")
    print()
    eighth = mp.pi / 4 * mpf("1.0001")
    top = eighth * eighth

    def sine(u):
        r = mp.sqrt(u)
        return (mp.sin(r) - r) / (r * u)

    emit("sin", "sin r = r + r^3 p(r^2), |r| to pi / 4", by_series(sine, lambda u: -mpf(1) / 6 + u / 120), 0, top, 5,
         lambda u, p: mp.sin(mp.sqrt(u)) / mp.sqrt(u) if p is None and u else 1 + u * p if p is not None else 1)

    def cosine(u):
        return (mp.cos(mp.sqrt(u)) - 1 + u / 2) / (u * u)

    emit("cos", "cos r = 1 - r^2 / 2 + r^4 p(r^2), |r| to pi / 4",
         by_series(cosine, lambda u: mpf(1) / 24 - u / 720), 0, top, 4,
         lambda u, p: mp.cos(mp.sqrt(u)) if p is None else 1 - u / 2 + u * u * p)

    def arcsine(u):
        s = mp.sqrt(u)
        return (mp.asin(s) - s) / (s * u)

    emit("asin", "asin s = s + s^3 p(s^2), s^2 to 1/4", by_series(arcsine, lambda u: mpf(1) / 6 + u * 3 / 40), 0,
         mpf("0.25"), 10,
         lambda u, p: mp.asin(mp.sqrt(u)) / mp.sqrt(u) if p is None and u else 1 + u * p if p is not None else 1)

    def arctangent(u):
        t = mp.sqrt(u)
        return (mp.atan(t) - t) / (t * u)

    bend = mp.tan(mp.pi / 8) * mpf("1.0001")
    emit("atan", "atan t = t + t^3 p(t^2), |t| to tan(pi / 8)",
         by_series(arctangent, lambda u: -mpf(1) / 3 + u / 5), 0, bend * bend, 8,
         lambda u, p: mp.atan(mp.sqrt(u)) / mp.sqrt(u) if p is None and u else 1 + u * p if p is not None else 1)

    half = mp.log(2) / 2 * mpf("1.0001")
    emit("exp", "e^r - 1 = r + r^2 p(r), |r| to log(2) / 2",
         by_series(lambda r: (mp.expm1(r) - r) / (r * r), lambda r: mpf(1) / 2 + r / 6), -half, half, 8,
         lambda r, p: (mp.expm1(r) / r if r else 1) if p is None else 1 + r * p)

    far = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mpf("1.0001")

    def logarithm(u):
        s = mp.sqrt(u)
        return (2 * mp.atanh(s) - 2 * s) / (s * u)

    emit("log", "log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2), |s| to (sqrt 2 - 1) / (sqrt 2 + 1)",
         by_series(logarithm, lambda u: mpf(2) / 3 + u * 2 / 5), 0, far * far, 6,
         lambda u, p: 2 * mp.atanh(mp.sqrt(u)) / mp.sqrt(u) if p is None and u else 2 + u * p if p is not None else 2)

    emit("cbrt", "x^(1/3), x from 1 to 2", lambda x: mp.cbrt(x), 1, 2, 6, lambda x, p: mp.cbrt(x) if p is None else p)

    def part(value, bits):
        """The leading bits of a value, on the fixed grid of its first bit."""
        scale = mpf(2) ** (bits - 1 - int(mp.floor(mp.log(value, 2))))
        return mp.floor(value * scale) / scale

    print("// pi / 2 in parts of 32, 32 and 53 bits, log 2 in parts of 40 and 53: whole numbers of up to 21 and 13 bits times")
    print("// any part but the last are exact.")
    value = mp.pi / 2
    for i, bits in ((1, 32), (2, 32)):
        print(f"#define EXACT_HALF_PI_{i} {float(part(value, bits)).hex()}")
        value -= part(value, bits)
    print(f"#define EXACT_HALF_PI_3 {float(value).hex()}")
    value = mp.log(2)
    print(f"#define EXACT_LN2_1 {float(part(value, 40)).hex()}")
    print(f"#define EXACT_LN2_2 {float(value - part(value, 40)).hex()}")
    for name, value in (("HALF_PI", mp.pi / 2), ("PI", mp.pi), ("QUARTER_PI", mp.pi / 4), ("TWO_OVER_PI", 2 / mp.pi),
                        ("LN2", mp.log(2)), ("LOG2_E", 1 / mp.log(2)), ("LOG10_E", 1 / mp.log(10)),
                        ("LOG10_2", mp.log(2) / mp.log(10)), ("CBRT2", mp.cbrt(2)), ("CBRT4", mp.cbrt(4)),
                        ("SQRT_HALF", mp.sqrt(2) / 2), ("TAN_PI_8", mp.tan(mp.pi / 8))):
        print(f"#define EXACT_{name} {float(value).hex()}")
    print()
    print("#endif")


main()
