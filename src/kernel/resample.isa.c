// kernel/resample.isa.c: a block of a resampled image.
//
// The height is done along rows, where neighbours in memory are neighbours in the sum. For the width the rows are
// turned: sixteen of them stand side by side, so that a weight meets sixteen pixels at once.

#include "kernel/resample.h"
#include "base/isa.h"

#include <string.h>

enum { ROWS = MR_RESAMPLE_ROWS, STRIP = 1024 };

typedef float sixteen __attribute__((vector_size(4 * ROWS), aligned(4)));

// The words a line of the source contributes to: one line itself, or several by weight.
typedef struct mix {
    const float *from; // the first line
    size_t stride;     // words to the next
    const float *weights;
    size_t count; // of lines
} mix;

static void mix_words(const mix *m, size_t count, float *restrict out)
{
    size_t i = 0;
    for (; i + 2 * ROWS <= count; i += 2 * ROWS) {
        const float *from = m->from + i;
        sixteen a = m->weights[0] * *(const sixteen *)from;
        sixteen b = m->weights[0] * *(const sixteen *)(from + ROWS);
        for (size_t k = 1; k < m->count; k++) {
            from += m->stride;
            a += m->weights[k] * *(const sixteen *)from;
            b += m->weights[k] * *(const sixteen *)(from + ROWS);
        }
        *(sixteen *)(out + i) = a;
        *(sixteen *)(out + i + ROWS) = b;
    }
    for (; i < count; i++) {
        const float *from = m->from + i;
        float sum = m->weights[0] * *from;
        for (size_t k = 1; k < m->count; k++) {
            from += m->stride;
            sum += m->weights[k] * *from;
        }
        out[i] = sum;
    }
}

// Words of output row `row` with the height done, from word `at` of its line: in the source itself where the height
// stays, else in out.
static const float *row_words(const mr_resample_block *b, size_t row, size_t at, size_t count, float *out)
{
    size_t stride = b->spec->source_width * b->spec->lanes;
    if (!b->down) {
        return b->source + row * stride + at;
    }
    mix m = { b->source + b->down->first[row] * stride + at, stride, b->down->weights + row * b->down->most,
              b->down->count[row] };
    mix_words(&m, count, out);
    return out;
}

static inline float held(const mr_resample_spec *spec, float value)
{
    if (!spec->clamp) {
        return value;
    }
    value = value < spec->low ? spec->low : value;
    return value > spec->high ? spec->high : value;
}

// Whole pixels that fit a strip, from the first lane asked for to the last.
static size_t strip_pixels(size_t lanes)
{
    return lanes < STRIP ? STRIP / lanes : 1;
}

static void height_alone(const mr_resample_block *b)
{
    const mr_resample_spec *spec = b->spec;
    const size_t lanes = spec->lanes, taken = spec->lane_count, most = strip_pixels(lanes);
    const size_t end = b->column + b->columns;
    float strip[STRIP];
    for (size_t row = b->row; row < b->row + b->rows; row++) {
        for (size_t x = b->column; x < end; x += most) {
            size_t count = end - x < most ? end - x : most, at = x * lanes + spec->lane_base;
            const float *words = row_words(b, row, at, (count - 1) * lanes + taken, strip);
            float *out = b->out + row * spec->source_width * lanes + at;
            for (size_t i = 0; i < count; i++) {
                for (size_t l = 0; l < taken; l++) {
                    out[i * lanes + l] = held(spec, words[i * lanes + l]);
                }
            }
        }
    }
}

static void turn(float *restrict turned, const float *restrict words, size_t pixels, size_t lanes,
                 size_t taken)
{
    for (size_t i = 0; i < pixels; i++) {
        for (size_t l = 0; l < taken; l++) {
            turned[(i * taken + l) * ROWS] = words[i * lanes + l];
        }
    }
}

// Source columns from `first` to `end` with the height done, turned into the scratch.
static void turn_rows(const mr_resample_block *b, size_t first, size_t end)
{
    const mr_resample_spec *spec = b->spec;
    const size_t lanes = spec->lanes, taken = spec->lane_count, most = strip_pixels(lanes);
    float strip[STRIP];
    if (b->rows < ROWS) {
        memset(b->turned, 0, (end - first) * taken * ROWS * sizeof(float));
    }
    for (size_t x = first; x < end; x += most) {
        size_t count = end - x < most ? end - x : most;
        for (size_t r = 0; r < b->rows; r++) {
            const float *words =
                row_words(b, b->row + r, x * lanes + spec->lane_base, (count - 1) * lanes + taken, strip);
            float *turned = b->turned + (x - first) * taken * ROWS + r;
            if (lanes == 1) {
                turn(turned, words, count, 1, 1);
            } else {
                turn(turned, words, count, lanes, taken);
            }
        }
    }
}

// The sums of output column x, sixteen rows a lane.
static void sum_column(const mr_resample_block *b, size_t x, size_t first, sixteen *sums)
{
    const mr_filter_taps *across = b->across;
    const size_t taken = b->spec->lane_count;
    const float *weights = across->weights + x * across->most;
    const sixteen *pixel = (const sixteen *)b->turned + (across->first[x] - first) * taken;
    for (size_t l = 0; l < taken; l++) {
        const sixteen *from = pixel + l;
        sixteen sum = weights[0] * *from;
        for (size_t k = 1; k < across->count[x]; k++) {
            from += taken;
            sum += weights[k] * *from;
        }
        sums[l] = sum;
    }
}

static void width_too(const mr_resample_block *b)
{
    const mr_resample_spec *spec = b->spec;
    const size_t taken = spec->lane_count, stride = b->across->out * spec->lanes;
    const size_t end = b->column + b->columns;
    const size_t first = b->across->first[b->column];
    sixteen sums[ROWS * MR_RESAMPLE_LANES];
    turn_rows(b, first, b->across->first[end - 1] + b->across->count[end - 1]);
    for (size_t x = b->column; x < end; x += ROWS) {
        size_t count = end - x < ROWS ? end - x : ROWS;
        for (size_t i = 0; i < count; i++) {
            sum_column(b, x + i, first, sums + i * taken);
        }
        for (size_t r = 0; r < b->rows; r++) {
            const float *sum = (const float *)sums + r;
            float *out = b->out + (b->row + r) * stride + x * spec->lanes + spec->lane_base;
            for (size_t i = 0; i < count; i++, out += spec->lanes) {
                for (size_t l = 0; l < taken; l++, sum += ROWS) {
                    out[l] = held(spec, *sum);
                }
            }
        }
    }
}

static void resample_block(const mr_resample_block *b)
{
    if (b->across) {
        width_too(b);
    } else {
        height_alone(b);
    }
}

const mr_resample_kernels MR_ISA(mr_resample_kernels) = { resample_block };
