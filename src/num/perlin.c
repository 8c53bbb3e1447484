// num/perlin.c: Perlin's improved noise.

#include "num/perlin.h"

#include <stdint.h>

static const uint8_t permutation[256] = {
    151, 160, 137, 91,  90,  15,  131, 13,  201, 95,  96,  53,  194, 233, 7,   225, 140, 36,  103, 30,
    69,  142, 8,   99,  37,  240, 21,  10,  23,  190, 6,   148, 247, 120, 234, 75,  0,   26,  197, 62,
    94,  252, 219, 203, 117, 35,  11,  32,  57,  177, 33,  88,  237, 149, 56,  87,  174, 20,  125, 136,
    171, 168, 68,  175, 74,  165, 71,  134, 139, 48,  27,  166, 77,  146, 158, 231, 83,  111, 229, 122,
    60,  211, 133, 230, 220, 105, 92,  41,  55,  46,  245, 40,  244, 102, 143, 54,  65,  25,  63,  161,
    1,   216, 80,  73,  209, 76,  132, 187, 208, 89,  18,  169, 200, 196, 135, 130, 116, 188, 159, 86,
    164, 100, 109, 198, 173, 186, 3,   64,  52,  217, 226, 250, 124, 123, 5,   202, 38,  147, 118, 126,
    255, 82,  85,  212, 207, 206, 59,  227, 47,  16,  58,  17,  182, 189, 28,  42,  223, 183, 170, 213,
    119, 248, 152, 2,   44,  154, 163, 70,  221, 153, 101, 155, 167, 43,  172, 9,   129, 22,  39,  253,
    19,  98,  108, 110, 79,  113, 224, 232, 178, 185, 112, 104, 218, 246, 97,  228, 251, 34,  242, 193,
    238, 210, 144, 12,  191, 179, 162, 241, 81,  51,  145, 235, 249, 14,  239, 107, 49,  192, 214, 31,
    181, 199, 106, 157, 184, 84,  204, 176, 115, 121, 50,  45,  127, 4,   150, 254, 138, 236, 205, 93,
    222, 114, 67,  29,  24,  72,  243, 141, 128, 195, 78,  66,  215, 61,  156, 180,
};

static unsigned permuted(unsigned i)
{
    return permutation[i & 255u];
}

static float fade(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

static float lerp(float t, float a, float b)
{
    return a + t * (b - a);
}

// The dot product with one of the twelve directions to a cube's edges (four of them twice).
static float gradient(unsigned hash, float x, float y, float z)
{
    unsigned h = hash & 15u;
    float u = h < 8 ? x : y;
    float v = h < 4 ? y : h == 12 || h == 14 ? x : z;
    return (h & 1u ? -u : u) + (h & 2u ? -v : v);
}

// The cell within the period, and the fraction past its corner.
static unsigned split(float p, float *fraction)
{
    if (!(p - p == 0)) {
        p = 0;
    }
    float cell = __builtin_floorf(p);
    *fraction = p - cell;
    float wrapped = cell - 256.0f * __builtin_floorf(cell * (1.0f / 256.0f));
    return (unsigned)wrapped & 255u;
}

float mr_perlin3(float x, float y, float z)
{
    unsigned i = split(x, &x), j = split(y, &y), k = split(z, &z);
    float u = fade(x), v = fade(y), w = fade(z);
    unsigned a = permuted(i) + j, aa = permuted(a) + k, ab = permuted(a + 1) + k;
    unsigned b = permuted(i + 1) + j, ba = permuted(b) + k, bb = permuted(b + 1) + k;
    float near_low = lerp(u, gradient(permuted(aa), x, y, z), gradient(permuted(ba), x - 1, y, z));
    float near_high = lerp(u, gradient(permuted(ab), x, y - 1, z), gradient(permuted(bb), x - 1, y - 1, z));
    float far_low =
        lerp(u, gradient(permuted(aa + 1), x, y, z - 1), gradient(permuted(ba + 1), x - 1, y, z - 1));
    float far_high =
        lerp(u, gradient(permuted(ab + 1), x, y - 1, z - 1), gradient(permuted(bb + 1), x - 1, y - 1, z - 1));
    return lerp(w, lerp(v, near_low, near_high), lerp(v, far_low, far_high));
}
