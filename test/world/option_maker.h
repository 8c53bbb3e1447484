// Random well-typed expressions for a rule's options, of every kind that compiles to registers.

#ifndef MARRAM_TEST_OPTION_MAKER_H
#define MARRAM_TEST_OPTION_MAKER_H

#include "support.h"

typedef enum unit { PLAIN, LENGTH, ANGLE } unit;

// Which names an option may read: bits.
enum {
    READS_GIVEN = 1,
    READS_SPACING = 2,
    READS_SIZE = 4,
    READS_TEST = 8,
    READS_ROOM = 16,
    READS_SPINE = 32, // along, side
    DRAWS = 64
};

typedef struct maker {
    test_random random;
    mr_text *out;
    uint32_t may;
} maker;

static void number(maker *m, unit of, int depth);
static void whole(maker *m, int depth);
static void condition(maker *m, int depth);
static void spot(maker *m, int depth);
static void vector(maker *m, unit of, uint32_t count, int depth);

static uint32_t pick(maker *m, uint32_t below)
{
    return test_below(&m->random, below);
}

static void put(maker *m, const char *text)
{
    mr_text_print(m->out, "%s", text);
}

#define ONE_OF(m, names) ((names)[pick((m), sizeof(names) / sizeof *(names))])

static void literal(maker *m, unit of)
{
    static const char *const edges[] = { "0",   "0.0",  "1.0", "0.5", "1e-45", "1.1754944e-38", "3.4e38",
                                         "2.5", "1e10", "0.1", "7",   "1e-6",  "16777217",      "1e20" };
    static const char *const lengths[] = { " m", " cm", " mm", " km" };
    static const char *const angles[] = { " rad", " deg", " turn" };
    if (pick(m, 3) == 0) {
        put(m, ONE_OF(m, edges));
    } else {
        mr_text_print(m->out, "%.4g", test_between(&m->random, 0, 30));
    }
    put(m, of == LENGTH ? ONE_OF(m, lengths) : of == ANGLE ? ONE_OF(m, angles) : "");
}

static void plain_leaf(maker *m, int depth)
{
    switch (pick(m, 9)) {
    case 0:
        put(m, m->may & READS_GIVEN ? "a" : "steep");
        return;
    case 1:
        put(m, m->may & READS_SIZE ? "size" : "pair.y");
        return;
    case 2:
        put(m, pick(m, 2) ? "land.slope(" : "slope(");
        spot(m, depth - 1);
        put(m, ")");
        return;
    case 3:
        put(m, "noise(");
        spot(m, depth - 1);
        mr_text_print(m->out, ", size: %.3g%s, seed: %u)", test_between(&m->random, 0.1, 90),
                      pick(m, 2) ? " m" : "", test_u32(&m->random));
        return;
    case 4:
        put(m, "land.path.bendAt(");
        number(m, LENGTH, depth - 1);
        if (pick(m, 2)) {
            put(m, pick(m, 2) ? ", span: " : ", ");
            number(m, LENGTH, depth - 1);
        }
        put(m, ")");
        return;
    case 5:
        put(m, "(");
        number(m, LENGTH, depth - 1);
        put(m, " / ");
        number(m, LENGTH, depth - 1);
        put(m, ")");
        return;
    default:
        literal(m, PLAIN);
    }
}

static void length_leaf(maker *m, int depth)
{
    switch (pick(m, 12)) {
    case 0:
        put(m, "here.x");
        return;
    case 1:
        put(m, "here.y");
        return;
    case 2:
        put(m, "here.z");
        return;
    case 3:
        put(m, m->may & READS_GIVEN ? "b" : "land.path.length");
        return;
    case 4:
        put(m, m->may & READS_SPINE ? "along" : "here.x");
        return;
    case 5:
        put(m, m->may & READS_SPACING ? "spacing" : "pair.x");
        return;
    case 6:
        put(m, m->may & READS_TEST ? "test" : "here.z");
        return;
    case 7:
        put(m, m->may & READS_ROOM ? "room" : "here.y");
        return;
    case 8:
        put(m, pick(m, 2) ? "land.height(" : "height(");
        spot(m, depth - 1);
        put(m, ")");
        return;
    case 9:
        put(m, pick(m, 2) ? "land.pathDistance(" : "pathDistance(");
        spot(m, depth - 1);
        put(m, ")");
        return;
    case 10:
        put(m, "length(");
        if (pick(m, 2)) {
            spot(m, depth - 1);
        } else {
            vector(m, LENGTH, 2 + pick(m, 2), depth - 1);
        }
        put(m, ")");
        return;
    default:
        literal(m, LENGTH);
    }
}

static void angle_leaf(maker *m, int depth)
{
    static const char *const names[] = { "asin(", "acos(", "atan(" };
    if (pick(m, 2)) {
        literal(m, ANGLE);
    } else {
        put(m, ONE_OF(m, names));
        number(m, PLAIN, depth - 1);
        put(m, ")");
    }
}

static void pair_of(maker *m, unit of, const char *before, const char *between, int depth)
{
    put(m, before);
    number(m, of, depth - 1);
    put(m, between);
    number(m, of, depth - 1);
    put(m, ")");
}

// name(a, b, ...), numbers alike.
static void call_of(maker *m, unit of, const char *name, uint32_t count, int depth)
{
    put(m, name);
    for (uint32_t i = 0; i < count; i++) {
        put(m, i ? ", " : "(");
        number(m, of, depth - 1);
    }
    put(m, ")");
}

static void function_of_one(maker *m, int depth)
{
    static const char *const plain[] = { "exp(", "log(", "smoothstep(", "sqrt(" };
    static const char *const angle[] = { "sin(", "cos(", "tan(" };
    if (pick(m, 2)) {
        put(m, ONE_OF(m, plain));
        number(m, PLAIN, depth - 1);
    } else {
        put(m, ONE_OF(m, angle));
        number(m, pick(m, 2) ? PLAIN : ANGLE, depth - 1);
    }
    put(m, ")");
}

static void number(maker *m, unit of, int depth)
{
    if (depth <= 0 || pick(m, 5) == 0) {
        if (depth < -2) {
            literal(m, of);
        } else if (of == PLAIN) {
            plain_leaf(m, depth);
        } else if (of == LENGTH) {
            length_leaf(m, depth);
        } else {
            angle_leaf(m, depth);
        }
        return;
    }
    static const char *const extremes[] = { "min", "max" };
    static const char *const adds[] = { " + ", " - " };
    switch (pick(m, 19)) {
    case 0:
    case 1:
        pair_of(m, of, "(", ONE_OF(m, adds), depth);
        return;
    case 2: // a literal 0 takes the other's unit
        put(m, pick(m, 2) ? "(0 + " : "(0 - ");
        number(m, of, depth - 1);
        put(m, ")");
        return;
    case 3:
    case 4:
        put(m, "(");
        number(m, of, depth - 1);
        put(m, pick(m, 2) ? " * " : " / ");
        if (pick(m, 2)) {
            whole(m, depth - 1);
        } else {
            number(m, PLAIN, depth - 1);
        }
        put(m, ")");
        return;
    case 5:
        call_of(m, of, ONE_OF(m, extremes), 1 + pick(m, 3), depth);
        return;
    case 6:
        call_of(m, of, "clamp", 3, depth);
        return;
    case 7:
        put(m, "mix(");
        number(m, of, depth - 1);
        put(m, ", ");
        number(m, of, depth - 1);
        put(m, ", ");
        number(m, PLAIN, depth - 1);
        put(m, ")");
        return;
    case 8:
        put(m, pick(m, 2) ? "abs(" : "(-");
        number(m, of, depth - 1);
        put(m, ")");
        return;
    case 9:
        put(m, "(if ");
        condition(m, depth - 1);
        put(m, " { 1.0 * ");
        number(m, of, depth - 1);
        put(m, " } else { 0.5 * ");
        number(m, of, depth - 1);
        put(m, " })");
        return;
    case 10:
        put(m, "({ let p = ");
        number(m, of, depth - 1);
        put(m, "; let (q, r) = (");
        number(m, of, depth - 1);
        put(m, ", ");
        number(m, PLAIN, depth - 1);
        put(m, "); p * r + q })");
        return;
    case 11:
        put(m, pick(m, 2) ? "twice(" : "halved(");
        number(m, of, depth - 1);
        put(m, ")");
        return;
    case 12:
        if (m->may & DRAWS) {
            pair_of(m, of, pick(m, 3) ? "uniform(" : "dice.uniform(", ", ", depth);
        } else {
            number(m, of, depth - 1);
        }
        return;
    case 13:
        put(m, "sqrt(");
        number(m, of, depth - 1);
        put(m, " * ");
        number(m, of, depth - 1);
        put(m, ")");
        return;
    case 14: {
        static const char *const letters[] = { ".x", ".y" };
        put(m, "(");
        vector(m, of, 2, depth - 1);
        put(m, ")");
        put(m, ONE_OF(m, letters));
        return;
    }
    case 15:
        put(m, "length(");
        vector(m, of, 2 + pick(m, 2), depth - 1);
        put(m, ")");
        return;
    default:
        break;
    }
    if (of == LENGTH) {
        put(m, "(");
        number(m, PLAIN, depth - 1);
        put(m, " * 1 m)");
        return;
    }
    if (of == ANGLE) {
        put(m, "(");
        number(m, PLAIN, depth - 1);
        put(m, " * 1 rad)");
        return;
    }
    switch (pick(m, 7)) {
    case 0:
    case 1:
        function_of_one(m, depth);
        return;
    case 2:
        pair_of(m, PLAIN, "pow(", ", ", depth);
        return;
    case 3:
        call_of(m, (unit)pick(m, 3), "smoothstep", 3, depth);
        return;
    case 4:
        put(m, "thick(");
        spot(m, depth - 1);
        put(m, ")");
        return;
    case 5:
        put(m,
            pick(m, 4) ? "share(abs(sin(" : "share(0 + ((here.x / 40 m - "); // the second: not in every lane
        number(m, PLAIN, depth - 1);
        put(m, ")))");
        return;
    default:
        put(m, "(");
        whole(m, depth - 1);
        put(m, pick(m, 2) ? " / " : " * 1.0 * ");
        whole(m, depth - 1);
        put(m, ")");
    }
}

static void whole(maker *m, int depth)
{
    static const char *const leaves[] = { "k", "k",          "k",
                                          "0", "1",          "3",
                                          "7", "4294967296", "9223372036854775807" };
    static const char *const ops[] = { " + ", " - ", " * ", " div ", " % " };
    static const char *const rounds[] = { "floor(", "ceil(", "round(" };
    static const char *const extremes[] = { "min(", "max(" };
    switch (depth <= 0 ? 0 : pick(m, 12)) {
    case 0:
    case 1:
        put(m, (m->may & READS_SPINE) && pick(m, 3) == 0 ? "side" : ONE_OF(m, leaves));
        return;
    case 2:
    case 3:
    case 4:
        put(m, "(");
        whole(m, depth - 1);
        put(m, ONE_OF(m, ops));
        whole(m, depth - 1);
        put(m, ")");
        return;
    case 5:
        put(m, pick(m, 2) ? "abs(" : "(-");
        whole(m, depth - 1);
        put(m, ")");
        return;
    case 6:
        put(m, ONE_OF(m, rounds));
        if (pick(m, 4)) {
            number(m, PLAIN, depth - 1);
        } else {
            whole(m, depth - 1);
        }
        put(m, ")");
        return;
    case 7:
        put(m, ONE_OF(m, extremes));
        whole(m, depth - 1);
        put(m, ", ");
        whole(m, depth - 1);
        put(m, ")");
        return;
    case 8:
        put(m, "clamp(");
        whole(m, depth - 1);
        put(m, ", ");
        whole(m, depth - 1);
        put(m, ", ");
        whole(m, depth - 1);
        put(m, ")");
        return;
    case 9:
        put(m, "(if ");
        condition(m, depth - 1);
        put(m, " { ");
        whole(m, depth - 1);
        put(m, " } else { ");
        whole(m, depth - 1);
        put(m, " })");
        return;
    case 10:
        put(m, "twice(");
        whole(m, depth - 1);
        put(m, ")");
        return;
    default:
        if (m->may & DRAWS) {
            mr_text_print(m->out, "%sbelow(%u)", pick(m, 3) ? "" : "dice.", 1 + pick(m, 4000000000u));
        } else {
            put(m, "k");
        }
    }
}

static void condition(maker *m, int depth)
{
    static const char *const ops[] = { " < ", " <= ", " > ", " >= ", " == ", " != " };
    static const char *const leaves[] = { "true", "false", "(\"ash\" == \"ash\")", "(\"ash\" != \"oak\")" };
    switch (depth <= 0 ? pick(m, 4) : pick(m, 13)) {
    case 0:
        put(m, "dressed(");
        spot(m, depth - 1);
        put(m, ")");
        return;
    case 1:
        put(m, m->may & READS_GIVEN ? "c" : ONE_OF(m, leaves));
        return;
    case 2:
        put(m, "(k % 3 == 1)");
        return;
    case 3:
        put(m, "(here.x < 3 m)");
        return;
    case 4:
    case 5:
        put(m, "(");
        condition(m, depth - 1);
        put(m, pick(m, 2) ? " && " : " || ");
        condition(m, depth - 1);
        put(m, ")");
        return;
    case 6:
        put(m, "!");
        condition(m, depth - 1);
        return;
    case 7:
        put(m, "((");
        condition(m, depth - 1);
        put(m, pick(m, 2) ? " && true) == (" : " && true) != (");
        condition(m, depth - 1);
        put(m, " && true))");
        return;
    case 8:
        put(m, "(if ");
        condition(m, depth - 1);
        put(m, " { ");
        condition(m, depth - 1);
        put(m, " && true } else { ");
        condition(m, depth - 1);
        put(m, " && true })");
        return;
    case 9:
        put(m, "(");
        whole(m, depth - 1);
        put(m, ONE_OF(m, ops));
        whole(m, depth - 1);
        put(m, ")");
        return;
    case 10:
        put(m, "(");
        whole(m, depth - 1);
        put(m, ONE_OF(m, ops));
        number(m, PLAIN, depth - 1);
        put(m, ")");
        return;
    default:
        pair_of(m, (unit)pick(m, 3), "(", ONE_OF(m, ops), depth);
    }
}

static void spot(maker *m, int depth)
{
    switch (depth <= 0 ? 0 : pick(m, 7)) {
    case 0:
    case 1:
        put(m, "here");
        return;
    case 2:
    case 3:
        put(m, "(");
        spot(m, depth - 1);
        put(m, pick(m, 2) ? " + " : " - ");
        vector(m, LENGTH, 2 + pick(m, 2), depth - 1);
        put(m, ")");
        return;
    case 4:
        put(m, "(if ");
        condition(m, depth - 1);
        put(m, " { ");
        spot(m, depth - 1);
        put(m, " } else { ");
        spot(m, depth - 1);
        put(m, " })");
        return;
    case 5:
        put(m, "moved(");
        spot(m, depth - 1);
        put(m, ", ");
        number(m, LENGTH, depth - 1);
        put(m, ")");
        return;
    default:
        put(m, "({ let s = ");
        spot(m, depth - 1);
        put(m, "; s + (0 m, 0 m) })");
    }
}

static void vector(maker *m, unit of, uint32_t count, int depth)
{
    switch (depth <= 0 ? 0 : pick(m, 7)) {
    case 0:
    case 1:
    case 2:
        put(m, pick(m, 2) ? "(" : count == 2 ? "vec2(" : "vec3(");
        for (uint32_t i = 0; i < count; i++) {
            number(m, of, depth - 1);
            put(m, i + 1 < count ? ", " : ")");
        }
        return;
    case 3:
        put(m, "(");
        vector(m, of, count, depth - 1);
        put(m, pick(m, 2) ? " + " : " - ");
        vector(m, of, count, depth - 1);
        put(m, ")");
        return;
    case 4:
        put(m, "(");
        vector(m, of, count, depth - 1);
        put(m, pick(m, 2) ? " * " : " / ");
        number(m, PLAIN, depth - 1);
        put(m, ")");
        return;
    case 5:
        put(m, "(");
        number(m, PLAIN, depth - 1);
        put(m, " * ");
        vector(m, of, count, depth - 1);
        put(m, ")");
        return;
    default:
        put(m, "(if ");
        condition(m, depth - 1);
        put(m, " { ");
        vector(m, of, count, depth - 1);
        put(m, " } else { ");
        vector(m, of, count, depth - 1);
        put(m, " })");
    }
}

#endif
