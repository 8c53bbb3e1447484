// field/program_move.isa.c: words taken apart, gathered and put together.

#include "field/program_move.h"

static uint32_t canonical(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}

static void take_2(uint32_t *const *out, const uint32_t *restrict from, size_t count)
{
    uint32_t *restrict a = out[0];
    uint32_t *restrict b = out[1];
    for (size_t i = 0; i < count; i++) {
        a[i] = from[2 * i];
        b[i] = from[2 * i + 1];
    }
}

static void take_3(uint32_t *const *out, const uint32_t *restrict from, size_t count)
{
    uint32_t *restrict a = out[0];
    uint32_t *restrict b = out[1];
    uint32_t *restrict c = out[2];
    for (size_t i = 0; i < count; i++) {
        a[i] = from[3 * i];
        b[i] = from[3 * i + 1];
        c[i] = from[3 * i + 2];
    }
}

static void take_4(uint32_t *const *out, const uint32_t *restrict from, size_t count)
{
    uint32_t *restrict a = out[0];
    uint32_t *restrict b = out[1];
    uint32_t *restrict c = out[2];
    uint32_t *restrict d = out[3];
    for (size_t i = 0; i < count; i++) {
        a[i] = from[4 * i];
        b[i] = from[4 * i + 1];
        c[i] = from[4 * i + 2];
        d[i] = from[4 * i + 3];
    }
}

static void take_one(uint32_t *restrict out, const uint32_t *restrict from, size_t stride, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = from[stride * i];
    }
}

static void gather(uint32_t *restrict out, const uint32_t *restrict from, const uint32_t *restrict places,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = from[places[i]];
    }
}

static void put_2(uint32_t *restrict to, const uint32_t *const *from, size_t count)
{
    const uint32_t *restrict a = from[0];
    const uint32_t *restrict b = from[1];
    for (size_t i = 0; i < count; i++) {
        to[2 * i] = canonical(a[i]);
        to[2 * i + 1] = canonical(b[i]);
    }
}

static void put_3(uint32_t *restrict to, const uint32_t *const *from, size_t count)
{
    const uint32_t *restrict a = from[0];
    const uint32_t *restrict b = from[1];
    const uint32_t *restrict c = from[2];
    for (size_t i = 0; i < count; i++) {
        to[3 * i] = canonical(a[i]);
        to[3 * i + 1] = canonical(b[i]);
        to[3 * i + 2] = canonical(c[i]);
    }
}

static void put_4(uint32_t *restrict to, const uint32_t *const *from, size_t count)
{
    const uint32_t *restrict a = from[0];
    const uint32_t *restrict b = from[1];
    const uint32_t *restrict c = from[2];
    const uint32_t *restrict d = from[3];
    for (size_t i = 0; i < count; i++) {
        to[4 * i] = canonical(a[i]);
        to[4 * i + 1] = canonical(b[i]);
        to[4 * i + 2] = canonical(c[i]);
        to[4 * i + 3] = canonical(d[i]);
    }
}

static void put_one(uint32_t *restrict to, const uint32_t *restrict from, size_t stride, size_t count)
{
    if (stride == 1) {
        for (size_t i = 0; i < count; i++) {
            to[i] = canonical(from[i]);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        to[stride * i] = canonical(from[i]);
    }
}

extern const program_moves MR_ISA(program_moves_table);
const program_moves MR_ISA(program_moves_table) = { .take = { [2] = take_2, [3] = take_3, [4] = take_4 },
                                                    .take_one = take_one,
                                                    .gather = gather,
                                                    .put = { [2] = put_2, [3] = put_3, [4] = put_4 },
                                                    .put_one = put_one };
