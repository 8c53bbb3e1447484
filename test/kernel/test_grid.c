// The grid kernel: sampling, writing and measuring fields of cells, against plain loops over tiles, rows and cells; and
// tiles against one grid of the same cells.

#include "run_kernel.h"

#include <math.h>

typedef struct layout {
    long n[3], t[3], apron, lanes;
} layout;

static layout random_layout(test_random *random)
{
    layout l = { .lanes = 1 + test_below(random, 3) };
    for (int a = 0; a < 3; a++) {
        l.n[a] = 1 + test_below(random, a == 1 ? 3 : 9);
        l.t[a] = a == 1 ? l.n[1] : 1 + test_below(random, (uint32_t)l.n[a] + 2);
    }
    l.apron = test_below(random, 3);
    if (test_below(random, 3) == 0) {
        l.t[0] = l.n[0];
        l.t[2] = l.n[2];
    }
    return l;
}

static long tiles_along(const layout *l, int axis)
{
    return (l->n[axis] + l->t[axis] - 1) / l->t[axis];
}

static long stored_along(const layout *l, int axis)
{
    return l->t[axis] + (axis == 1 ? 0 : 2 * l->apron);
}

static size_t stored_cells(const layout *l)
{
    return (size_t)(tiles_along(l, 0) * tiles_along(l, 2) * stored_along(l, 0) * stored_along(l, 1) *
                    stored_along(l, 2));
}

// Goes through the stored cells in their order: which tile, where in it, which cell of the field.
typedef struct walk {
    size_t number;
    long tile[3], local[3], field[3];
} walk;

static bool walk_next(const layout *l, walk *w)
{
    if (++w->number == stored_cells(l)) {
        return false;
    }
    for (int a = 0; a < 3 && ++w->local[a] == stored_along(l, a); a++) {
        w->local[a] = 0;
        if (a == 2) {
            w->tile[0]++;
            w->tile[2] += w->tile[0] == tiles_along(l, 0);
            w->tile[0] %= tiles_along(l, 0);
        }
    }
    return true;
}

static void walk_place(const layout *l, walk *w)
{
    for (int a = 0; a < 3; a++) {
        w->field[a] = w->tile[a] * l->t[a] + w->local[a] - (a == 1 ? 0 : l->apron);
    }
}

static float value_of(const long cell[3], long lane)
{
    return (float)((cell[0] * 37 + cell[1] * 101 + cell[2] * 59 + lane * 17) % 23) * 0.37f - 3;
}

static float *stored_field(const layout *l)
{
    float *field = malloc(stored_cells(l) * (size_t)l->lanes * sizeof(float));
    walk w = { 0 };
    do {
        walk_place(l, &w);
        for (long lane = 0; lane < l->lanes; lane++) {
            field[(long)w.number * l->lanes + lane] = value_of(w.field, lane);
        }
    } while (walk_next(l, &w));
    return field;
}

static void begin(kernel_run *run, mr_context *context, const layout *l, size_t n, const char *mode)
{
    kernel_begin(run, context, "grid", n, -1);
    kernel_choose(run, "MODE", mode);
    kernel_param(run, "nx", (double)l->n[0]);
    kernel_param(run, "ny", (double)l->n[1]);
    kernel_param(run, "nz", (double)l->n[2]);
    kernel_param(run, "tx", (double)l->t[0]);
    kernel_param(run, "tz", (double)l->t[2]);
    kernel_param(run, "apron", (double)l->apron);
    kernel_param(run, "lanes", (double)l->lanes);
}

static const float *floats(const kernel_run *run)
{
    return (const float *)kernel_out(run, "out");
}

static double held_place(double place, long count)
{
    return !(place > 0) ? 0 : place < (double)(count - 1) ? place : (double)(count - 1);
}

static double reference_sample(const layout *l, const float p[3], long lane, bool trilinear)
{
    long low[3];
    double part[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        double place = held_place(((double)p[a] - 1.5) / 0.75, l->n[a]);
        low[a] = (long)floor(trilinear ? place : place + 0.5);
        part[a] = trilinear ? place - (double)low[a] : 0;
    }
    for (int k = 0; k < 8; k++) {
        long cell[3];
        double weight = 1;
        for (int a = 0; a < 3; a++) {
            cell[a] = low[a] + (k >> a & 1);
            weight *= k >> a & 1 ? part[a] : 1 - part[a];
        }
        sum += weight > 0 ? weight * (double)value_of(cell, lane) : 0;
    }
    return sum;
}

static void sampling_reads_the_cells_around_a_position(void **state)
{
    test_random random = { 1 };
    enum { POINTS = 60 };
    for (size_t n = 0; n < test_count(150); n++) {
        layout l = random_layout(&random), whole = l;
        whole.t[0] = l.n[0];
        whole.t[2] = l.n[2];
        whole.apron = 0;
        long lane = test_below(&random, (uint32_t)l.lanes),
             count = 1 + test_below(&random, (uint32_t)(l.lanes - lane));
        float positions[POINTS][3], tiled[POINTS * 3], out[POINTS * 3] = { 0 };
        for (size_t i = 0; i < POINTS; i++) {
            for (int a = 0; a < 3; a++) {
                double place = test_below(&random, 3) ? test_between(&random, -2, (double)l.n[a] + 1)
                                                      : (double)test_below(&random, (uint32_t)l.n[a]);
                positions[i][a] = (float)(1.5 + 0.75 * place);
                positions[i][a] = test_below(&random, 40)  ? positions[i][a]
                                  : test_below(&random, 2) ? NAN
                                                           : -INFINITY;
            }
        }
        bool trilinear = n % 2;
        for (int k = 0; k < 2; k++) {
            const layout *of = k ? &whole : &l;
            float *field = stored_field(of);
            kernel_run run;
            begin(&run, *state, of, POINTS, "sample");
            kernel_choose(&run, "SAMPLING", trilinear ? "trilinear" : "nearest");
            kernel_param(&run, "lane", (double)lane);
            kernel_param(&run, "outLanes", (double)count);
            kernel_param(&run, "ox", 1.5);
            kernel_param(&run, "oy", 1.5);
            kernel_param(&run, "oz", 1.5);
            kernel_param(&run, "cell", 0.75);
            kernel_bind_as(&run, "field", MR_COLUMN_FLOAT, field, stored_cells(of) * (size_t)of->lanes);
            kernel_bind_as(&run, "aux", MR_COLUMN_VEC3, positions, POINTS);
            kernel_bind_as(&run, "out", MR_COLUMN_FLOAT, out, (size_t)(POINTS * count));
            kernel_go_ok(&run);
            if (k == 0) {
                memcpy(tiled, floats(&run), (size_t)(POINTS * count) * sizeof(float));
            } else {
                assert_memory_equal(tiled, floats(&run), (size_t)(POINTS * count) * sizeof(float));
            }
            kernel_end(&run);
            free(field);
        }
        for (long i = 0; i < POINTS * count; i++) {
            double want = reference_sample(&l, positions[i / count], lane + i % count, trilinear);
            assert_true(fabs((double)tiled[i] - want) < 1e-5);
        }
    }
}

static float reference_blend(int blend, float old, float value, float weight)
{
    float full = blend == 0   ? value
                 : blend == 1 ? old + value
                 : blend == 2 ? fmaxf(old, value)
                 : blend == 3 ? fminf(old, value)
                              : old * value;
    volatile float part = (full - old) * weight;
    return weight >= 1 ? full : weight > 0 ? old + part : old;
}

static void writing_blends_the_patch_into_every_tile_that_holds_a_cell(void **state)
{
    static const char *const blends[] = { "replace", "add", "max", "min", "multiply" };
    test_random random = { 2 };
    for (size_t n = 0; n < test_count(150); n++) {
        layout l = random_layout(&random);
        long first[3], size[3];
        for (int a = 0; a < 3; a++) {
            first[a] = (long)test_below(&random, 6) - 3;
            size[a] = (long)test_below(&random, (uint32_t)l.n[a] + 5);
        }
        long lane = test_below(&random, (uint32_t)l.lanes),
             count = 1 + test_below(&random, (uint32_t)(l.lanes - lane));
        size_t patch = (size_t)(size[0] * size[1] * size[2]);
        float *values = malloc((patch * (size_t)count + 1) * 4), *weights = malloc((patch + 1) * 4);
        for (size_t i = 0; i < patch * (size_t)count; i++) {
            values[i] = (float)test_between(&random, -5, 5);
        }
        for (size_t i = 0; i < patch; i++) {
            uint32_t kind = test_below(&random, 6);
            weights[i] = kind == 0   ? NAN
                         : kind == 1 ? 0.0f
                         : kind == 2 ? 1.0f
                                     : (float)test_between(&random, -0.3, 1.3);
        }
        int blend = (int)test_below(&random, 5);
        bool weighted = test_below(&random, 2);
        float *field = stored_field(&l);
        kernel_run run;
        begin(&run, *state, &l, stored_cells(&l), "write");
        kernel_choose(&run, "BLEND", blends[blend]);
        for (int a = 0; a < 3; a++) {
            static const char *const firsts[] = { "wx", "wy", "wz" }, *const sizes[] = { "px", "py", "pz" };
            kernel_param(&run, firsts[a], (double)first[a]);
            kernel_param(&run, sizes[a], (double)size[a]);
        }
        kernel_param(&run, "lane", (double)lane);
        kernel_param(&run, "outLanes", (double)count);
        kernel_param(&run, "hasWeight", weighted);
        kernel_bind_as(&run, "aux", MR_COLUMN_FLOAT, values, patch * (size_t)count);
        if (weighted) {
            kernel_bind_as(&run, "weight", MR_COLUMN_FLOAT, weights, patch);
        }
        kernel_bind_as(&run, "out", MR_COLUMN_FLOAT, field, stored_cells(&l) * (size_t)l.lanes);
        kernel_go_ok(&run);
        walk w = { 0 };
        do {
            walk_place(&l, &w);
            bool covered = true;
            for (int a = 0; a < 3; a++) {
                covered &= w.field[a] >= first[a] && w.field[a] < first[a] + size[a];
            }
            for (long k = 0; k < l.lanes; k++) {
                float want = field[(long)w.number * l.lanes + k];
                if (covered && k >= lane && k < lane + count) {
                    long from = ((w.field[2] - first[2]) * size[1] + w.field[1] - first[1]) * size[0] +
                                w.field[0] - first[0];
                    want = reference_blend(blend, want, values[from * count + k - lane],
                                           weighted ? weights[from] : 1);
                }
                assert_true(floats(&run)[(long)w.number * l.lanes + k] == want);
            }
        } while (walk_next(&l, &w));
        kernel_end(&run);
        free(field);
        free(values);
        free(weights);
    }
}

static long held(long at, long count)
{
    return at < 0 ? 0 : at < count ? at : count - 1;
}

// What the tile of w stores `by` from it, held to its edges.
static double near_value(const layout *l, const walk *w, long lane, long x, long y, long z)
{
    const long by[3] = { x, y, z };
    long cell[3];
    for (int a = 0; a < 3; a++) {
        cell[a] = w->field[a] - w->local[a] + held(w->local[a] + by[a], stored_along(l, a));
    }
    return (double)value_of(cell, lane);
}

static void stencils_measure_what_a_tile_stores(void **state)
{
    static const char *const stencils[] = { "offset", "slope", "curvature", "gradient" };
    test_random random = { 3 };
    for (size_t n = 0; n < test_count(200); n++) {
        layout l = random_layout(&random);
        long lane = test_below(&random, (uint32_t)l.lanes), step = 1 + test_below(&random, 3);
        long by[3] = { (long)test_below(&random, 7) - 3, (long)test_below(&random, 5) - 2,
                       (long)test_below(&random, 2000) - 1000 };
        size_t stencil = n % 4, wide = stencil == 3 ? 2 : 1;
        float *field = stored_field(&l), *out = calloc(stored_cells(&l) * wide, 4);
        kernel_run run;
        begin(&run, *state, &l, stored_cells(&l), "stencil");
        kernel_choose(&run, "STENCIL", stencils[stencil]);
        kernel_param(&run, "lane", (double)lane);
        kernel_param(&run, "cell", 0.5);
        kernel_param(&run, "step", (double)step);
        kernel_param(&run, "dx", (double)by[0]);
        kernel_param(&run, "dy", (double)by[1]);
        kernel_param(&run, "dz", (double)by[2]);
        kernel_bind_as(&run, "field", MR_COLUMN_FLOAT, field, stored_cells(&l) * (size_t)l.lanes);
        kernel_bind_as(&run, "out", MR_COLUMN_FLOAT, out, stored_cells(&l) * wide);
        kernel_go_ok(&run);
        walk w = { 0 };
        do {
            walk_place(&l, &w);
            const float *got = floats(&run) + w.number * wide;
            double here = near_value(&l, &w, lane, 0, 0, 0);
            double xa = near_value(&l, &w, lane, -step, 0, 0), xb = near_value(&l, &w, lane, step, 0, 0);
            double za = near_value(&l, &w, lane, 0, 0, -step), zb = near_value(&l, &w, lane, 0, 0, step);
            long across =
                held(w.local[0] + step, stored_along(&l, 0)) - held(w.local[0] - step, stored_along(&l, 0));
            long down =
                held(w.local[2] + step, stored_along(&l, 2)) - held(w.local[2] - step, stored_along(&l, 2));
            double dx = across ? (xb - xa) / (0.5 * (double)across) : 0;
            double dz = down ? (zb - za) / (0.5 * (double)down) : 0;
            double side = 0.5 * (double)step;
            double want = stencil == 0   ? near_value(&l, &w, lane, by[0], by[1], by[2])
                          : stencil == 1 ? atan(sqrt(dx * dx + dz * dz)) * 180 / M_PI
                          : stencil == 2 ? (xa + xb + za + zb - 4 * here) / (side * side)
                                         : dx;
            assert_true(fabs((double)got[0] - want) < 2e-4);
            assert_true(stencil != 3 || fabs((double)got[1] - dz) < 1e-4);
        } while (walk_next(&l, &w));
        kernel_end(&run);
        free(field);
        free(out);
    }
}

static void nan_stays_where_it_is_read(void **state)
{
    float field[4] = { 1, NAN, INFINITY, 4 }, positions[4][3] = { { 0 }, { 0.5f }, { 2 }, { 2.5f } },
          out[4] = { 0 };
    layout l = { { 4, 1, 1 }, { 4, 1, 1 }, 0, 1 };
    kernel_run run;
    begin(&run, *state, &l, 4, "sample");
    kernel_choose(&run, "SAMPLING", "trilinear");
    kernel_bind_as(&run, "field", MR_COLUMN_FLOAT, field, 4);
    kernel_bind_as(&run, "aux", MR_COLUMN_VEC3, positions, 4);
    kernel_bind_as(&run, "out", MR_COLUMN_FLOAT, out, 4);
    kernel_go_ok(&run);
    assert_true(floats(&run)[0] == 1 && isnan(floats(&run)[1]) && floats(&run)[2] == INFINITY);
    assert_true(isinf(floats(&run)[3]) || isnan(floats(&run)[3]));
    kernel_end(&run);
}

static void threads_change_no_bit(void **state)
{
    layout l = { { 90, 2, 70 }, { 32, 2, 32 }, 3, 2 };
    float *field = stored_field(&l), *out[2];
    size_t cells = stored_cells(&l);
    float *blank = calloc(cells * 2, 4);
    for (int k = 0; k < 2; k++) {
        mr_context *context = test_context_of(k ? 7 : 1, 0);
        kernel_run run;
        begin(&run, context, &l, cells, "stencil");
        kernel_choose(&run, "STENCIL", "slope");
        kernel_bind_as(&run, "field", MR_COLUMN_VEC2, field, cells);
        kernel_bind_as(&run, "out", MR_COLUMN_FLOAT, blank, cells);
        kernel_go_ok(&run);
        out[k] = malloc(cells * 4);
        memcpy(out[k], floats(&run), cells * 4);
        kernel_end(&run);
        test_context_end(context);
    }
    assert_memory_equal(out[0], out[1], cells * 4);
    free(out[0]);
    free(out[1]);
    free(field);
    free(blank);
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    static const struct {
        const char *mode, *param;
        double value;
        size_t n;
        const char *says;
    } cases[] = {
        { "sample", "lanes", 2, 2, "binding field holds 12 values; 24 are asked for" },
        { "sample", "outLanes", 2, 2, "lanes 0 to 1 are asked for; a cell has 1" },
        { "sample", "lane", 1, 2, "lanes 1 to 1 are asked for" },
        { "sample", "ny", 1, 5, "binding aux holds 12 values; 15 are asked for" },
        { "stencil", "apron", 1, 12, "the field stores 30 cells; the domain is 12" },
        { "write", "px", 13, 12, "binding aux holds 12 values; 13 are asked for" },
        { "write", "hasWeight", 1, 12, "binding weight holds 0 values" },
        { "write", "nz", 0, 12, "nz" },
        { "stencil", "cell", 0, 12, "cell" },
        { "stencil", "step", 0, 12, "step" },
        { "sample", "tx", 1 << 28, 1, "grid" },
    };
    float words[12] = { 0 };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kernel_run run;
        kernel_begin(&run, *state, "grid", cases[i].n, -1);
        kernel_choose(&run, "MODE", cases[i].mode);
        kernel_param(&run, cases[i].param, cases[i].value);
        kernel_param(&run, "nx", 4);
        if (strcmp(cases[i].param, "nz") != 0) {
            kernel_param(&run, "nz", 3);
        }
        if (cases[i].mode[0] != 'w') {
            kernel_bind_as(&run, "field", MR_COLUMN_FLOAT, words, 12);
        }
        if (strcmp(cases[i].mode, "stencil") != 0) {
            kernel_bind_as(&run, "aux", MR_COLUMN_FLOAT, words, 12);
        }
        kernel_bind_as(&run, "out", MR_COLUMN_FLOAT, words, 12);
        kernel_refused(&run, cases[i].says);
    }
    kernel_run run;
    layout l = { { 4, 1, 3 }, { 4, 1, 3 }, 0, 1 };
    begin(&run, *state, &l, 12, "write");
    kernel_bind_as(&run, "aux", MR_COLUMN_FLOAT, words, 12);
    kernel_bind_as(&run, "out", MR_COLUMN_INT, words, 12);
    kernel_refused(&run, "binding out holds floats");
}

int main(void)
{
#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, test_setup, test_teardown)
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(sampling_reads_the_cells_around_a_position),
        WITH_CONTEXT(writing_blends_the_patch_into_every_tile_that_holds_a_cell),
        WITH_CONTEXT(stencils_measure_what_a_tile_stores),
        WITH_CONTEXT(nan_stays_where_it_is_read),
        cmocka_unit_test(threads_change_no_bit),
        WITH_CONTEXT(what_does_not_fit_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
