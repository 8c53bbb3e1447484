// num/angle_noise.c: the table of directions, and the fractal sums a sample at a time.

#include "num/angle_noise.h"

// sin(2 pi k / 256), each correctly rounded. A quarter turn more than a turn, so that the cosine is read from the same
// table 64 places on.
const float mr_angle_sine[320] = {
    0.0f,           0.024541229f,   0.0490676761f,  0.0735645667f, 0.0980171412f,  0.122410677f,
    0.146730468f,   0.170961887f,   0.195090324f,   0.219101235f,  0.242980182f,   0.266712755f,
    0.290284663f,   0.313681751f,   0.336889863f,   0.359895051f,  0.382683426f,   0.405241311f,
    0.427555084f,   0.449611336f,   0.471396744f,   0.492898196f,  0.514102757f,   0.534997642f,
    0.555570245f,   0.575808167f,   0.59569931f,    0.615231574f,  0.634393275f,   0.653172851f,
    0.671558976f,   0.689540565f,   0.707106769f,   0.724247098f,  0.740951121f,   0.757208824f,
    0.773010433f,   0.78834641f,    0.803207517f,   0.817584813f,  0.831469595f,   0.84485358f,
    0.857728601f,   0.870086968f,   0.881921291f,   0.893224299f,  0.903989315f,   0.914209783f,
    0.923879504f,   0.932992816f,   0.941544056f,   0.949528158f,  0.956940353f,   0.963776052f,
    0.970031261f,   0.975702107f,   0.980785251f,   0.985277653f,  0.989176512f,   0.992479563f,
    0.99518472f,    0.997290432f,   0.99879545f,    0.999698818f,  1.0f,           0.999698818f,
    0.99879545f,    0.997290432f,   0.99518472f,    0.992479563f,  0.989176512f,   0.985277653f,
    0.980785251f,   0.975702107f,   0.970031261f,   0.963776052f,  0.956940353f,   0.949528158f,
    0.941544056f,   0.932992816f,   0.923879504f,   0.914209783f,  0.903989315f,   0.893224299f,
    0.881921291f,   0.870086968f,   0.857728601f,   0.84485358f,   0.831469595f,   0.817584813f,
    0.803207517f,   0.78834641f,    0.773010433f,   0.757208824f,  0.740951121f,   0.724247098f,
    0.707106769f,   0.689540565f,   0.671558976f,   0.653172851f,  0.634393275f,   0.615231574f,
    0.59569931f,    0.575808167f,   0.555570245f,   0.534997642f,  0.514102757f,   0.492898196f,
    0.471396744f,   0.449611336f,   0.427555084f,   0.405241311f,  0.382683426f,   0.359895051f,
    0.336889863f,   0.313681751f,   0.290284663f,   0.266712755f,  0.242980182f,   0.219101235f,
    0.195090324f,   0.170961887f,   0.146730468f,   0.122410677f,  0.0980171412f,  0.0735645667f,
    0.0490676761f,  0.024541229f,   0.0f,           -0.024541229f, -0.0490676761f, -0.0735645667f,
    -0.0980171412f, -0.122410677f,  -0.146730468f,  -0.170961887f, -0.195090324f,  -0.219101235f,
    -0.242980182f,  -0.266712755f,  -0.290284663f,  -0.313681751f, -0.336889863f,  -0.359895051f,
    -0.382683426f,  -0.405241311f,  -0.427555084f,  -0.449611336f, -0.471396744f,  -0.492898196f,
    -0.514102757f,  -0.534997642f,  -0.555570245f,  -0.575808167f, -0.59569931f,   -0.615231574f,
    -0.634393275f,  -0.653172851f,  -0.671558976f,  -0.689540565f, -0.707106769f,  -0.724247098f,
    -0.740951121f,  -0.757208824f,  -0.773010433f,  -0.78834641f,  -0.803207517f,  -0.817584813f,
    -0.831469595f,  -0.84485358f,   -0.857728601f,  -0.870086968f, -0.881921291f,  -0.893224299f,
    -0.903989315f,  -0.914209783f,  -0.923879504f,  -0.932992816f, -0.941544056f,  -0.949528158f,
    -0.956940353f,  -0.963776052f,  -0.970031261f,  -0.975702107f, -0.980785251f,  -0.985277653f,
    -0.989176512f,  -0.992479563f,  -0.99518472f,   -0.997290432f, -0.99879545f,   -0.999698818f,
    -1.0f,          -0.999698818f,  -0.99879545f,   -0.997290432f, -0.99518472f,   -0.992479563f,
    -0.989176512f,  -0.985277653f,  -0.980785251f,  -0.975702107f, -0.970031261f,  -0.963776052f,
    -0.956940353f,  -0.949528158f,  -0.941544056f,  -0.932992816f, -0.923879504f,  -0.914209783f,
    -0.903989315f,  -0.893224299f,  -0.881921291f,  -0.870086968f, -0.857728601f,  -0.84485358f,
    -0.831469595f,  -0.817584813f,  -0.803207517f,  -0.78834641f,  -0.773010433f,  -0.757208824f,
    -0.740951121f,  -0.724247098f,  -0.707106769f,  -0.689540565f, -0.671558976f,  -0.653172851f,
    -0.634393275f,  -0.615231574f,  -0.59569931f,   -0.575808167f, -0.555570245f,  -0.534997642f,
    -0.514102757f,  -0.492898196f,  -0.471396744f,  -0.449611336f, -0.427555084f,  -0.405241311f,
    -0.382683426f,  -0.359895051f,  -0.336889863f,  -0.313681751f, -0.290284663f,  -0.266712755f,
    -0.242980182f,  -0.219101235f,  -0.195090324f,  -0.170961887f, -0.146730468f,  -0.122410677f,
    -0.0980171412f, -0.0735645667f, -0.0490676761f, -0.024541229f, 0.0f,           0.024541229f,
    0.0490676761f,  0.0735645667f,  0.0980171412f,  0.122410677f,  0.146730468f,   0.170961887f,
    0.195090324f,   0.219101235f,   0.242980182f,   0.266712755f,  0.290284663f,   0.313681751f,
    0.336889863f,   0.359895051f,   0.382683426f,   0.405241311f,  0.427555084f,   0.449611336f,
    0.471396744f,   0.492898196f,   0.514102757f,   0.534997642f,  0.555570245f,   0.575808167f,
    0.59569931f,    0.615231574f,   0.634393275f,   0.653172851f,  0.671558976f,   0.689540565f,
    0.707106769f,   0.724247098f,   0.740951121f,   0.757208824f,  0.773010433f,   0.78834641f,
    0.803207517f,   0.817584813f,   0.831469595f,   0.84485358f,   0.857728601f,   0.870086968f,
    0.881921291f,   0.893224299f,   0.903989315f,   0.914209783f,  0.923879504f,   0.932992816f,
    0.941544056f,   0.949528158f,   0.956940353f,   0.963776052f,  0.970031261f,   0.975702107f,
    0.980785251f,   0.985277653f,   0.989176512f,   0.992479563f,  0.99518472f,    0.997290432f,
    0.99879545f,    0.999698818f,
};

void mr_angle_fbm_prepare(mr_angle_fbm *fbm, uint32_t seed, uint32_t octaves, double lacunarity, double gain)
{
    fbm->octaves = octaves < MR_ANGLE_OCTAVES ? octaves : MR_ANGLE_OCTAVES;
    double frequency = 1.0, weight = 1.0, squares = 0.0;
    double weights[MR_ANGLE_OCTAVES];
    for (uint32_t i = 0; i < fbm->octaves; i++) {
        uint32_t own = seed + i * 7919u;
        fbm->octave[i] = (mr_angle_octave){
            .key = mr_angle_key(own),
            .frequency = frequency,
            .offset_x = (double)mr_to_unit(mr_random(own, 0)),
            .offset_z = (double)mr_to_unit(mr_random(own, 1)),
        };
        weights[i] = weight;
        squares += weight * weight;
        frequency *= lacunarity;
        weight *= gain;
    }
    double root = __builtin_sqrt(squares);
    for (uint32_t i = 0; i < fbm->octaves; i++) {
        fbm->octave[i].strength = (float)(weights[i] / root);
    }
}

void mr_angle_warp_prepare(mr_angle_warp *warp, const mr_angle_fbm *fbm, uint32_t seed, double distance,
                           double feature)
{
    warp->scale = distance > 0 ? (float)(distance / feature) : 0.0f;
    warp->limit = fbm->octaves ? (float)(0x1p30 / fbm->octave[fbm->octaves - 1].frequency) : 0.0f;
    mr_angle_fbm_prepare(&warp->x, mr_pcg(seed ^ 0x57415258u), 4, 2.0, 0.5);
    mr_angle_fbm_prepare(&warp->z, mr_pcg(seed ^ 0x5741525au), 4, 2.0, 0.5);
}

static float sample(const mr_lattice *x, const mr_lattice *z, uint32_t key, float strength)
{
    float u = mr_angle_fade(x->t), v = mr_angle_fade(z->t);
    uint32_t near = mr_angle_row(key, (uint32_t)z->cell), far = mr_angle_row(key, (uint32_t)z->cell + 1u);
    mr_angle_line a = mr_angle_line_at(near, (uint32_t)x->cell, x->t, u, strength);
    mr_angle_line b = mr_angle_line_at(far, (uint32_t)x->cell, x->t, u, strength);
    return mr_angle_between(a, mr_angle_span_of(a, b), z->t, v);
}

float mr_angle_gradient2(mr_lattice x, mr_lattice z, uint32_t seed)
{
    return sample(&x, &z, mr_angle_key(seed), 1.0f);
}

float mr_angle_fbm2(const mr_angle_fbm *fbm, double x, double z)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < fbm->octaves; i++) {
        const mr_angle_octave *o = &fbm->octave[i];
        mr_lattice lx = mr_lattice_of_f64(x * o->frequency + o->offset_x);
        mr_lattice lz = mr_lattice_of_f64(z * o->frequency + o->offset_z);
        sum += sample(&lx, &lz, o->key, o->strength);
    }
    return sum;
}

// A lattice coordinate pushed by some cells: the whole cells go to the cell, the rest is the fraction.
static mr_lattice pushed(mr_lattice p, float by)
{
    float q = p.t + by;
    int32_t whole = mr_angle_floor(q);
    return (mr_lattice){ (int32_t)((uint32_t)p.cell + (uint32_t)whole), q - (float)whole };
}

float mr_angle_warped2(const mr_angle_fbm *fbm, const mr_angle_warp *warp, double x, double z)
{
    if (!(warp->scale > 0.0f)) {
        return mr_angle_fbm2(fbm, x, z);
    }
    float dx = mr_angle_held(warp->scale * mr_angle_fbm2(&warp->x, x, z), warp->limit);
    float dz = mr_angle_held(warp->scale * mr_angle_fbm2(&warp->z, x, z), warp->limit);
    float sum = 0.0f;
    for (uint32_t i = 0; i < fbm->octaves; i++) {
        const mr_angle_octave *o = &fbm->octave[i];
        float frequency = (float)o->frequency;
        mr_lattice lx = pushed(mr_lattice_of_f64(x * o->frequency + o->offset_x), dx * frequency);
        mr_lattice lz = pushed(mr_lattice_of_f64(z * o->frequency + o->offset_z), dz * frequency);
        sum += sample(&lx, &lz, o->key, o->strength);
    }
    return sum;
}
