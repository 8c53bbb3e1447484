// num/noise.c: value and gradient noise on the lattice, and their fractal sums.

#include "num/noise.h"

mr_lattice mr_lattice_of(float p)
{
    return mr_lattice_of_f64((double)p);
}

mr_lattice mr_lattice_of_f64(double p)
{
    // From 2^63 on a double is a multiple of 2^11, and so is every value's low word beyond what int64 holds; nothing is
    // lost by calling all of them cell 0.
    if (!(p > -0x1p63 && p < 0x1p63)) {
        return (mr_lattice){ 0, 0.0f };
    }
    double corner = __builtin_floor(p);
    return (mr_lattice){ (int32_t)(uint32_t)(uint64_t)(int64_t)corner, (float)(p - corner) };
}

static float fade(float t)
{
    return t * t * t * (t * (6.0f * t - 15.0f) + 10.0f);
}

static float fade_slope(float t)
{
    return 30.0f * t * t * (t * (t - 2.0f) + 1.0f);
}

static int32_t wrap(int32_t cell, int32_t period)
{
    if (period <= 0) {
        return cell;
    }
    return cell < 0 ? period - 1 - (-(cell + 1)) % period : cell % period;
}

// The lattice coordinate of a cell's near (0) and far (1) corner along one axis. The step wraps round at 2^32.
static void corners(const mr_lattice *p, int32_t period, int32_t out[2])
{
    out[0] = wrap(p->cell, period);
    out[1] = wrap((int32_t)((uint32_t)p->cell + 1u), period);
}

// The bilinear blend of corner values a (0,0), b (1,0), c (0,1), d (1,1), and its slopes along u and v.
typedef struct blend2 {
    float value, du, dv;
} blend2;

static blend2 bilinear(float a, float b, float c, float d, float u, float v)
{
    float k = a - b - c + d;
    return (blend2){ a + (b - a) * u + (c - a) * v + k * u * v, (b - a) + k * v, (c - a) + k * u };
}

// The trilinear blend of corner values a..h (x fastest, then y, then z) and its slopes.
typedef struct blend3 {
    float value, du, dv, dw;
} blend3;

static blend3 trilinear(const float n[8], float u, float v, float w)
{
    float a = n[0], b = n[1], c = n[2], d = n[3], e = n[4], f = n[5], g = n[6], h = n[7];
    float k4 = a - b - c + d;
    float k5 = a - c - e + g;
    float k6 = a - b - e + f;
    float k7 = b - a + c - d + e - f - g + h;
    return (blend3){
        a + (b - a) * u + (c - a) * v + (e - a) * w + k4 * u * v + k5 * v * w + k6 * w * u + k7 * u * v * w,
        (b - a) + k4 * v + k6 * w + k7 * v * w,
        (c - a) + k4 * u + k5 * w + k7 * u * w,
        (e - a) + k5 * v + k6 * u + k7 * u * v,
    };
}

static const int32_t no_period[3] = { 0, 0, 0 };

mr_noise2 mr_value2_at(const mr_lattice p[2], uint32_t seed, const int32_t periods[2])
{
    periods = periods ? periods : no_period;
    int32_t x[2], y[2];
    corners(&p[0], periods[0], x);
    corners(&p[1], periods[1], y);
    float n[4];
    for (unsigned k = 0; k < 4; k++) {
        n[k] = mr_to_signed(mr_hash2(x[k & 1], y[k >> 1], seed).x);
    }
    blend2 blend = bilinear(n[0], n[1], n[2], n[3], fade(p[0].t), fade(p[1].t));
    return (mr_noise2){ blend.value, fade_slope(p[0].t) * blend.du, fade_slope(p[1].t) * blend.dv };
}

mr_noise3 mr_value3_at(const mr_lattice p[3], uint32_t seed, const int32_t periods[3])
{
    periods = periods ? periods : no_period;
    int32_t x[2], y[2], z[2];
    corners(&p[0], periods[0], x);
    corners(&p[1], periods[1], y);
    corners(&p[2], periods[2], z);
    float n[8];
    for (unsigned k = 0; k < 8; k++) {
        n[k] = mr_to_signed(mr_hash3(x[k & 1], y[(k >> 1) & 1], z[k >> 2], seed).x);
    }
    blend3 blend = trilinear(n, fade(p[0].t), fade(p[1].t), fade(p[2].t));
    return (mr_noise3){ blend.value, fade_slope(p[0].t) * blend.du, fade_slope(p[1].t) * blend.dv,
                        fade_slope(p[2].t) * blend.dw };
}

mr_noise2 mr_gradient2_at(const mr_lattice p[2], uint32_t seed, const int32_t periods[2])
{
    periods = periods ? periods : no_period;
    int32_t x[2], y[2];
    corners(&p[0], periods[0], x);
    corners(&p[1], periods[1], y);
    float gx[4], gy[4], n[4];
    for (unsigned k = 0; k < 4; k++) {
        mr_words3 h = mr_hash2(x[k & 1], y[k >> 1], seed);
        gx[k] = mr_to_signed(h.x);
        gy[k] = mr_to_signed(h.y);
        n[k] = gx[k] * (p[0].t - (float)(k & 1)) + gy[k] * (p[1].t - (float)(k >> 1));
    }
    float u = fade(p[0].t), v = fade(p[1].t);
    blend2 blend = bilinear(n[0], n[1], n[2], n[3], u, v);
    return (mr_noise2){
        blend.value,
        bilinear(gx[0], gx[1], gx[2], gx[3], u, v).value + fade_slope(p[0].t) * blend.du,
        bilinear(gy[0], gy[1], gy[2], gy[3], u, v).value + fade_slope(p[1].t) * blend.dv,
    };
}

mr_noise3 mr_gradient3_at(const mr_lattice p[3], uint32_t seed, const int32_t periods[3])
{
    periods = periods ? periods : no_period;
    int32_t x[2], y[2], z[2];
    corners(&p[0], periods[0], x);
    corners(&p[1], periods[1], y);
    corners(&p[2], periods[2], z);
    float gx[8], gy[8], gz[8], n[8];
    for (unsigned k = 0; k < 8; k++) {
        mr_words4 h = mr_hash3(x[k & 1], y[(k >> 1) & 1], z[k >> 2], seed);
        gx[k] = mr_to_signed(h.x);
        gy[k] = mr_to_signed(h.y);
        gz[k] = mr_to_signed(h.z);
        n[k] = gx[k] * (p[0].t - (float)(k & 1)) + gy[k] * (p[1].t - (float)((k >> 1) & 1)) +
               gz[k] * (p[2].t - (float)(k >> 2));
    }
    float u = fade(p[0].t), v = fade(p[1].t), w = fade(p[2].t);
    blend3 blend = trilinear(n, u, v, w);
    return (mr_noise3){
        blend.value,
        trilinear(gx, u, v, w).value + fade_slope(p[0].t) * blend.du,
        trilinear(gy, u, v, w).value + fade_slope(p[1].t) * blend.dv,
        trilinear(gz, u, v, w).value + fade_slope(p[2].t) * blend.dw,
    };
}

mr_noise2 mr_value2(float x, float y, uint32_t seed)
{
    return mr_value2_at((mr_lattice[2]){ mr_lattice_of(x), mr_lattice_of(y) }, seed, NULL);
}

mr_noise3 mr_value3(float x, float y, float z, uint32_t seed)
{
    return mr_value3_at((mr_lattice[3]){ mr_lattice_of(x), mr_lattice_of(y), mr_lattice_of(z) }, seed, NULL);
}

mr_noise2 mr_gradient2(float x, float y, uint32_t seed)
{
    return mr_gradient2_at((mr_lattice[2]){ mr_lattice_of(x), mr_lattice_of(y) }, seed, NULL);
}

mr_noise3 mr_gradient3(float x, float y, float z, uint32_t seed)
{
    return mr_gradient3_at((mr_lattice[3]){ mr_lattice_of(x), mr_lattice_of(y), mr_lattice_of(z) }, seed,
                           NULL);
}

// What an octave adds for a noise value n, and how fast that grows with n.
typedef struct layer {
    float value, slope;
} layer;

static layer layer_fbm(float n)
{
    return (layer){ n, 1.0f };
}

static layer layer_ridged(float n)
{
    float rest = 1.0f - __builtin_fabsf(n);
    return (layer){ rest * rest, n >= 0.0f ? -2.0f * rest : 2.0f * rest };
}

static layer layer_billow(float n)
{
    return (layer){ 2.0f * __builtin_fabsf(n) - 1.0f, n >= 0.0f ? 2.0f : -2.0f };
}

static mr_noise2 sum2(float x, float y, uint32_t seed, mr_fractal fractal, layer (*shape)(float))
{
    mr_noise2 sum = { 0 };
    float frequency = 1.0f, weight = 1.0f;
    for (uint32_t i = 0; i < fractal.octaves; i++) {
        mr_noise2 n = mr_gradient2(x * frequency, y * frequency, mr_hash1((int32_t)i, seed));
        layer l = shape(n.value);
        float slope = weight * l.slope * frequency;
        sum.value += weight * l.value;
        sum.dx += slope * n.dx;
        sum.dy += slope * n.dy;
        frequency *= fractal.lacunarity;
        weight *= fractal.gain;
    }
    return sum;
}

static mr_noise3 sum3(float x, float y, float z, uint32_t seed, mr_fractal fractal, layer (*shape)(float))
{
    mr_noise3 sum = { 0 };
    float frequency = 1.0f, weight = 1.0f;
    for (uint32_t i = 0; i < fractal.octaves; i++) {
        mr_noise3 n = mr_gradient3(x * frequency, y * frequency, z * frequency, mr_hash1((int32_t)i, seed));
        layer l = shape(n.value);
        float slope = weight * l.slope * frequency;
        sum.value += weight * l.value;
        sum.dx += slope * n.dx;
        sum.dy += slope * n.dy;
        sum.dz += slope * n.dz;
        frequency *= fractal.lacunarity;
        weight *= fractal.gain;
    }
    return sum;
}

mr_noise2 mr_fbm2(float x, float y, uint32_t seed, mr_fractal fractal)
{
    return sum2(x, y, seed, fractal, layer_fbm);
}

mr_noise3 mr_fbm3(float x, float y, float z, uint32_t seed, mr_fractal fractal)
{
    return sum3(x, y, z, seed, fractal, layer_fbm);
}

mr_noise2 mr_ridged2(float x, float y, uint32_t seed, mr_fractal fractal)
{
    return sum2(x, y, seed, fractal, layer_ridged);
}

mr_noise3 mr_ridged3(float x, float y, float z, uint32_t seed, mr_fractal fractal)
{
    return sum3(x, y, z, seed, fractal, layer_ridged);
}

mr_noise2 mr_billow2(float x, float y, uint32_t seed, mr_fractal fractal)
{
    return sum2(x, y, seed, fractal, layer_billow);
}

mr_noise3 mr_billow3(float x, float y, float z, uint32_t seed, mr_fractal fractal)
{
    return sum3(x, y, z, seed, fractal, layer_billow);
}

float mr_warp2(float x, float y, uint32_t seed, uint32_t octaves, float strength)
{
    mr_fractal f = { octaves, 2.0f, 0.5f };
    float qx = mr_fbm2(x, y, seed, f).value;
    float qy = mr_fbm2(x + 5.25f, y + 1.25f, seed, f).value;
    float sx = x + strength * qx, sy = y + strength * qy;
    float rx = mr_fbm2(sx + 1.75f, sy + 9.25f, seed, f).value;
    float ry = mr_fbm2(sx + 8.25f, sy + 2.75f, seed, f).value;
    return mr_fbm2(x + strength * rx, y + strength * ry, seed, f).value;
}

float mr_warp3(float x, float y, float z, uint32_t seed, uint32_t octaves, float strength)
{
    static const float first[3][3] = { { 0, 0, 0 }, { 5.25f, 1.25f, 3.5f }, { 2.5f, 7.75f, 4.25f } };
    static const float second[3][3] = { { 1.75f, 9.25f, 6.5f },
                                        { 8.25f, 2.75f, 0.75f },
                                        { 3.25f, 5.5f, 7.25f } };
    mr_fractal f = { octaves, 2.0f, 0.5f };
    float q[3], r[3];
    for (int k = 0; k < 3; k++) {
        q[k] = mr_fbm3(x + first[k][0], y + first[k][1], z + first[k][2], seed, f).value;
    }
    float sx = x + strength * q[0], sy = y + strength * q[1], sz = z + strength * q[2];
    for (int k = 0; k < 3; k++) {
        r[k] = mr_fbm3(sx + second[k][0], sy + second[k][1], sz + second[k][2], seed, f).value;
    }
    return mr_fbm3(x + strength * r[0], y + strength * r[1], z + strength * r[2], seed, f).value;
}

float mr_cascade2(float x, float y, uint32_t seed, mr_fractal fractal, float c)
{
    float sum = 0.0f, frequency = 1.0f, weight = 1.0f, product = 1.0f;
    uint32_t second = mr_pcg(seed);
    for (uint32_t i = 0; i < fractal.octaves; i++) {
        float px = x * frequency, py = y * frequency;
        product *= 1.0f + c * mr_gradient2(px, py, mr_hash1((int32_t)i, second)).value;
        sum += weight * product * mr_gradient2(px, py, mr_hash1((int32_t)i, seed)).value;
        frequency *= fractal.lacunarity;
        weight *= fractal.gain;
    }
    return sum;
}
