// num/phacelle.c: oriented stripes.

#include "num/exact.h"
#include "num/noise.h"

static const float turn = 6.28318531f;

static int32_t cell_from(int32_t cell, int32_t step)
{
    return (int32_t)((uint32_t)cell + (uint32_t)step);
}

mr_phacelle_answer mr_phacelle(float x, float y, const float direction[2], float freq, float offset,
                               float normalisation, uint32_t seed)
{
    mr_lattice px = mr_lattice_of(x), py = mr_lattice_of(y);
    mr_phacelle_answer answer = { .side = { -direction[1] * freq * turn, direction[0] * freq * turn } };
    float phase = turn * offset;
    float cosines = 0.0f, sines = 0.0f, weights = 0.0f;
    for (int32_t j = -1; j <= 2; j++) {
        for (int32_t i = -1; i <= 2; i++) {
            mr_words3 h = mr_hash2(cell_from(px.cell, i), cell_from(py.cell, j), seed);
            float vx = px.t - (float)i - 0.5f * mr_to_signed(h.x);
            float vy = py.t - (float)j - 0.5f * mr_to_signed(h.y);
            float weight = mr_f32_exp(-2.0f * (vx * vx + vy * vy)) - 0.01111f;
            if (!(weight > 0.0f)) {
                continue;
            }
            float cosine, sine;
            mr_f32_sincos(vx * answer.side[0] + vy * answer.side[1] + phase, &sine, &cosine);
            cosines += weight * cosine;
            sines += weight * sine;
            weights += weight;
        }
    }
    cosines /= weights;
    sines /= weights;
    float length = __builtin_sqrtf(cosines * cosines + sines * sines);
    float least = 1.0f - normalisation;
    length = length > least ? length : least;
    answer.cosine = length > 0.0f ? cosines / length : 0.0f;
    answer.sine = length > 0.0f ? sines / length : 0.0f;
    return answer;
}
