// kernel/fbm.isa.c: a tile of fractal noise, a row at a time.
//
// Inside one lattice cell a column's noise along z is (p tz + q) + v (e tz + f). p, q, e and f of every column are
// worked out when a row enters a new line of lattice cells (hashes and gathers happen there alone) and kept in cache;
// a row then costs seven operations a sample and octave. With a warp every sample stands in its own place, and each
// octave is worked out whole.

#include "kernel/fbm.h"
#include "base/isa.h"

enum { WIDTH = MR_FBM_TILE_WIDTH };

// One octave of a tile: its columns' places, and the line of lattice cells the rows are in.
typedef struct octave_columns {
    uint32_t cell[WIDTH];
    float t[WIDTH];
    float u[WIDTH];
    float near_p[WIDTH], near_q[WIDTH]; // the line at the rows' cell
    float e[WIDTH], f[WIDTH];           // the span to the next
    float far_p[WIDTH], far_q[WIDTH];   // the line at the next cell
    uint32_t line;
    uint32_t started;
    uint32_t padding[14]; // the next octave's arrays begin on a cache line too
} octave_columns;

// Places pushed along one axis, one a column: the lattice cell and the fraction past it.
typedef struct pushed_places {
    uint32_t cell[WIDTH];
    float t[WIDTH];
} pushed_places;

typedef struct tile_scratch {
    float sum[WIDTH];
    float push_x[WIDTH];
    float push_z[WIDTH];
    pushed_places pushed_x, pushed_z;
    octave_columns octaves[]; // the noise's, then those of the warp's two sums
} tile_scratch;

static size_t scratch_size(const mr_fbm *fbm)
{
    uint32_t octaves = fbm->noise.octaves + fbm->warp.x.octaves + fbm->warp.z.octaves;
    return sizeof(tile_scratch) + octaves * sizeof(octave_columns);
}

static void place_columns(octave_columns *columns, const mr_angle_octave *octave, const mr_fbm_tile *tile)
{
    for (size_t i = 0; i < tile->width; i++) {
        double p = (double)(tile->x + (int64_t)i) * tile->fbm->cell / tile->fbm->feature_size;
        mr_lattice at = mr_lattice_of_f64(p * octave->frequency + octave->offset_x);
        columns->cell[i] = (uint32_t)at.cell;
        columns->t[i] = at.t;
    }
    for (size_t i = 0; i < tile->width; i++) {
        columns->u[i] = mr_angle_fade(columns->t[i]);
    }
    columns->started = 0;
}

static void work_out_line(const octave_columns *columns, const mr_angle_octave *octave, uint32_t line,
                          size_t width, float *restrict p, float *restrict q)
{
    const uint32_t row = mr_angle_row(octave->key, line);
    const float strength = octave->strength;
    const uint32_t *restrict cell = columns->cell;
    const float *restrict t = columns->t, *restrict u = columns->u;
    for (size_t i = 0; i < width; i++) {
        mr_angle_line at = mr_angle_line_at(row, cell[i], t[i], u[i], strength);
        p[i] = at.p;
        q[i] = at.q;
    }
}

// Makes the columns ready for rows in the lattice cells from line `line` to the next. Rows come in rising order, so
// the old far line is most often the new near one.
static void enter_line(octave_columns *columns, const mr_angle_octave *octave, uint32_t line, size_t width)
{
    if (columns->started && columns->line == line) {
        return;
    }
    if (columns->started && columns->line + 1u == line) {
        memcpy(columns->near_p, columns->far_p, width * sizeof(float));
        memcpy(columns->near_q, columns->far_q, width * sizeof(float));
    } else {
        work_out_line(columns, octave, line, width, columns->near_p, columns->near_q);
    }
    work_out_line(columns, octave, line + 1u, width, columns->far_p, columns->far_q);
    for (size_t i = 0; i < width; i++) {
        mr_angle_span span = mr_angle_span_of((mr_angle_line){ columns->near_p[i], columns->near_q[i] },
                                              (mr_angle_line){ columns->far_p[i], columns->far_q[i] });
        columns->e[i] = span.e;
        columns->f[i] = span.f;
    }
    columns->line = line;
    columns->started = 1;
}

static void add_octave(const octave_columns *columns, float t, float v, size_t width, float *restrict sum)
{
    const float *restrict p = columns->near_p, *restrict q = columns->near_q;
    const float *restrict e = columns->e, *restrict f = columns->f;
    for (size_t i = 0; i < width; i++) {
        sum[i] += mr_angle_between((mr_angle_line){ p[i], q[i] }, (mr_angle_span){ e[i], f[i] }, t, v);
    }
}

// The row's sum at the columns' own places.
static void sum_row(octave_columns *columns, const mr_angle_fbm *fbm, double pz, size_t width, float *sum)
{
    memset(sum, 0, width * sizeof(float));
    for (uint32_t o = 0; o < fbm->octaves; o++) {
        const mr_angle_octave *octave = &fbm->octave[o];
        mr_lattice at = mr_lattice_of_f64(pz * octave->frequency + octave->offset_z);
        enter_line(&columns[o], octave, (uint32_t)at.cell, width);
        add_octave(&columns[o], at.t, mr_angle_fade(at.t), width, sum);
    }
}

static inline void push_place(uint32_t cell, float t, float by, uint32_t *pushed_cell, float *pushed_t)
{
    float q = t + by;
    int32_t whole = mr_angle_floor(q);
    *pushed_cell = cell + (uint32_t)whole;
    *pushed_t = q - (float)whole;
}

static void add_pushed_octave(const octave_columns *columns, const mr_angle_octave *octave, mr_lattice z,
                              tile_scratch *s, size_t width)
{
    const float frequency = (float)octave->frequency, strength = octave->strength;
    const uint32_t key = octave->key;
    pushed_places *restrict x = &s->pushed_x, *restrict line = &s->pushed_z;
    const float *restrict push_x = s->push_x, *restrict push_z = s->push_z;
    for (size_t i = 0; i < width; i++) {
        push_place(columns->cell[i], columns->t[i], push_x[i] * frequency, &x->cell[i], &x->t[i]);
    }
    for (size_t i = 0; i < width; i++) {
        push_place((uint32_t)z.cell, z.t, push_z[i] * frequency, &line->cell[i], &line->t[i]);
    }
    float *restrict sum = s->sum;
    for (size_t i = 0; i < width; i++) {
        float u = mr_angle_fade(x->t[i]), v = mr_angle_fade(line->t[i]);
        uint32_t near_row = mr_angle_row(key, line->cell[i]), far_row = mr_angle_row(key, line->cell[i] + 1u);
        mr_angle_line near = mr_angle_line_at(near_row, x->cell[i], x->t[i], u, strength);
        mr_angle_line far = mr_angle_line_at(far_row, x->cell[i], x->t[i], u, strength);
        sum[i] += mr_angle_between(near, mr_angle_span_of(near, far), line->t[i], v);
    }
}

static void warp_row(tile_scratch *s, const mr_fbm *fbm, double pz, size_t width)
{
    octave_columns *warp_columns = s->octaves + fbm->noise.octaves;
    sum_row(warp_columns, &fbm->warp.x, pz, width, s->push_x);
    sum_row(warp_columns + fbm->warp.x.octaves, &fbm->warp.z, pz, width, s->push_z);
    const float scale = fbm->warp.scale, limit = fbm->warp.limit;
    for (size_t i = 0; i < width; i++) {
        s->sum[i] = 0.0f;
        s->push_x[i] = mr_angle_held(scale * s->push_x[i], limit);
        s->push_z[i] = mr_angle_held(scale * s->push_z[i], limit);
    }
    for (uint32_t o = 0; o < fbm->noise.octaves; o++) {
        const mr_angle_octave *octave = &fbm->noise.octave[o];
        mr_lattice at = mr_lattice_of_f64(pz * octave->frequency + octave->offset_z);
        add_pushed_octave(&s->octaves[o], octave, at, s, width);
    }
}

static void fold_ridges(float *sum, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        float rest = 1.0f - __builtin_fabsf(sum[i]);
        rest = rest > 0.0f ? rest : 0.0f;
        sum[i] = rest * rest;
    }
}

static inline void blend_row(float *restrict out, const float *restrict sum, float amplitude, mr_blend blend,
                             const float *restrict weights, size_t width)
{
    if (weights) {
        for (size_t i = 0; i < width; i++) {
            out[i] = mr_blend_at(blend, out[i], sum[i] * amplitude, weights[i]);
        }
        return;
    }
    for (size_t i = 0; i < width; i++) {
        out[i] = mr_blend_full(blend, out[i], sum[i] * amplitude);
    }
}

// The blend is a constant in each of the calls, so that each becomes one plain loop.
static void finish_row(const mr_fbm_tile *tile, size_t row, const float *sum)
{
    size_t at = row * tile->stride;
    float *out = tile->out + at;
    const float *weights = tile->weights ? tile->weights + at : NULL;
    const float amplitude = tile->fbm->amplitude;
    switch (tile->blend) {
    case MR_BLEND_REPLACE:
        blend_row(out, sum, amplitude, MR_BLEND_REPLACE, weights, tile->width);
        break;
    case MR_BLEND_ADD:
        blend_row(out, sum, amplitude, MR_BLEND_ADD, weights, tile->width);
        break;
    case MR_BLEND_MAX:
        blend_row(out, sum, amplitude, MR_BLEND_MAX, weights, tile->width);
        break;
    case MR_BLEND_MIN:
        blend_row(out, sum, amplitude, MR_BLEND_MIN, weights, tile->width);
        break;
    }
}

static octave_columns *place_all(octave_columns *columns, const mr_angle_fbm *fbm, const mr_fbm_tile *tile)
{
    for (uint32_t o = 0; o < fbm->octaves; o++) {
        place_columns(columns++, &fbm->octave[o], tile);
    }
    return columns;
}

static void run_tile(const mr_fbm_tile *tile)
{
    const mr_fbm *fbm = tile->fbm;
    tile_scratch *s = tile->scratch;
    const bool warped = fbm->warp.scale > 0.0f;
    octave_columns *next = place_all(s->octaves, &fbm->noise, tile);
    if (warped) {
        next = place_all(next, &fbm->warp.x, tile);
        place_all(next, &fbm->warp.z, tile);
    }
    for (size_t j = 0; j < tile->rows; j++) {
        double pz = (double)(tile->z + (int64_t)j) * fbm->cell / fbm->feature_size;
        if (warped) {
            warp_row(s, fbm, pz, tile->width);
        } else {
            sum_row(s->octaves, &fbm->noise, pz, tile->width, s->sum);
        }
        if (fbm->ridge) {
            fold_ridges(s->sum, tile->width);
        }
        finish_row(tile, j, s->sum);
    }
}

const mr_fbm_kernels MR_ISA(mr_fbm_kernels) = { .scratch_size = scratch_size, .tile = run_tile };
