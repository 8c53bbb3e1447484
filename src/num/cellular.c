// num/cellular.c: Worley noise. Decisions are on squared distances and strict, so a tie keeps the earlier cell.

#include "num/noise.h"

// The nearest two points so far. Squared distances start past any that can be met within the 5 x 5 (x 5) cells.
typedef struct nearest {
    float first, second;
    uint32_t id;
    float to[3];
} nearest;

static void meet(nearest *best, float distance, uint32_t id, const float to[3])
{
    if (distance < best->first) {
        best->second = best->first;
        best->first = distance;
        best->id = id;
        for (int k = 0; k < 3; k++) {
            best->to[k] = to[k];
        }
    } else if (distance < best->second) {
        best->second = distance;
    }
}

static const float far_away = 1e30f;

// How far outside a cell's jitter box the sample is along one axis.
static float outside(int32_t step, float t, float jitter)
{
    float gap = __builtin_fabsf((float)step + 0.5f - t) - 0.5f * jitter;
    return gap > 0.0f ? gap : 0.0f;
}

static float toward(int32_t step, uint32_t word, float t, float jitter)
{
    return (float)step + 0.5f + jitter * (mr_to_unit(word) - 0.5f) - t;
}

static int32_t step_from(int32_t cell, int32_t step)
{
    return (int32_t)((uint32_t)cell + (uint32_t)step);
}

mr_cellular2_answer mr_cellular2_at(const mr_lattice p[2], uint32_t seed, float jitter)
{
    nearest best = { far_away, far_away, 0, { 0 } };
    for (int ring = 0; ring < 2; ring++) {
        for (int32_t j = -2; j <= 2; j++) {
            for (int32_t i = -2; i <= 2; i++) {
                bool inner = i >= -1 && i <= 1 && j >= -1 && j <= 1;
                if (inner == (ring == 1)) {
                    continue;
                }
                float ox = outside(i, p[0].t, jitter), oy = outside(j, p[1].t, jitter);
                if (ring && ox * ox + oy * oy >= best.second) {
                    continue;
                }
                mr_words3 h = mr_hash2(step_from(p[0].cell, i), step_from(p[1].cell, j), seed);
                float to[3] = { toward(i, h.x, p[0].t, jitter), toward(j, h.y, p[1].t, jitter), 0.0f };
                meet(&best, to[0] * to[0] + to[1] * to[1], h.z, to);
            }
        }
    }
    return (mr_cellular2_answer){
        __builtin_sqrtf(best.first), __builtin_sqrtf(best.second), best.id, { best.to[0], best.to[1] }
    };
}

mr_cellular3_answer mr_cellular3_at(const mr_lattice p[3], uint32_t seed, float jitter)
{
    nearest best = { far_away, far_away, 0, { 0 } };
    for (int ring = 0; ring < 2; ring++) {
        for (int32_t k = -2; k <= 2; k++) {
            for (int32_t j = -2; j <= 2; j++) {
                for (int32_t i = -2; i <= 2; i++) {
                    bool inner = i >= -1 && i <= 1 && j >= -1 && j <= 1 && k >= -1 && k <= 1;
                    if (inner == (ring == 1)) {
                        continue;
                    }
                    float ox = outside(i, p[0].t, jitter), oy = outside(j, p[1].t, jitter),
                          oz = outside(k, p[2].t, jitter);
                    if (ring && ox * ox + oy * oy + oz * oz >= best.second) {
                        continue;
                    }
                    mr_words4 h = mr_hash3(step_from(p[0].cell, i), step_from(p[1].cell, j),
                                           step_from(p[2].cell, k), seed);
                    float to[3] = { toward(i, h.x, p[0].t, jitter), toward(j, h.y, p[1].t, jitter),
                                    toward(k, h.z, p[2].t, jitter) };
                    meet(&best, to[0] * to[0] + to[1] * to[1] + to[2] * to[2], h.w, to);
                }
            }
        }
    }
    return (mr_cellular3_answer){ __builtin_sqrtf(best.first),
                                  __builtin_sqrtf(best.second),
                                  best.id,
                                  { best.to[0], best.to[1], best.to[2] } };
}

mr_cellular2_answer mr_cellular2(float x, float y, uint32_t seed, float jitter)
{
    return mr_cellular2_at((mr_lattice[2]){ mr_lattice_of(x), mr_lattice_of(y) }, seed, jitter);
}

mr_cellular3_answer mr_cellular3(float x, float y, float z, uint32_t seed, float jitter)
{
    return mr_cellular3_at((mr_lattice[3]){ mr_lattice_of(x), mr_lattice_of(y), mr_lattice_of(z) }, seed,
                           jitter);
}
