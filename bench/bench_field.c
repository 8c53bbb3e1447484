// Fields over 16.7 million elements: a chain of 20 operations, warm and cold, and noise at as many arbitrary points.

#include "bench.h"

#include "field/field.h"
#include "kernel/map.h"

enum { ELEMENTS = 1 << 24 };

typedef struct work {
    mr_context *context;
    mr_field *field;
    const mr_element_program *program;
    const float *position;
    float *out;
} work;

static mr_field *apply(mr_context *context, const char *name, mr_field *a, mr_field *b, mr_field *c)
{
    mr_error error = { 0 };
    mr_field *made = mr_field_apply(context, mr_view_of(name), (mr_field *[3]){ a, b, c },
                                    c   ? 3
                                    : b ? 2
                                        : 1,
                                    &error);
    if (!made) {
        bench_fail(name, &error);
    }
    return made;
}

static mr_column *random_floats(mr_context *context, uint32_t seed)
{
    mr_error error = { 0 };
    mr_column *column = mr_column_create(context, MR_COLUMN_FLOAT, ELEMENTS, &error);
    if (!column) {
        bench_fail("column", &error);
    }
    for (size_t i = 0; i < ELEMENTS; i++) {
        seed = seed * 1664525u + 1013904223u;
        column->f32[i] = (float)(seed >> 8) * 0x1p-22f - 1.0f;
    }
    return mr_column_publish(column);
}

// Add, mul, min, max, where, sqrt, floor, one smoothstep; two column reads. The nodes live until the process ends.
static mr_field *chain_of_20(mr_context *c, mr_column *first, mr_column *second)
{
    mr_error error = { 0 };
    mr_field *x = mr_field_column(c, first, &error), *y = mr_field_column(c, second, &error);
    mr_field *half = mr_field_number(c, 0.5, &error), *zero = mr_field_number(c, 0, &error),
             *one = mr_field_number(c, 1, &error);
    mr_field *product = apply(c, "mul", x, y, NULL), *sum = apply(c, "add", product, x, NULL);
    mr_field *low = apply(c, "min", sum, y, NULL);
    mr_field *high = apply(c, "max", low, apply(c, "mul", x, half, NULL), NULL);
    mr_field *root = apply(c, "sqrt", high, NULL, NULL), *whole = apply(c, "floor", sum, NULL, NULL);
    mr_field *rest = apply(c, "sub", sum, whole, NULL);
    mr_field *chosen = apply(c, "where", apply(c, "lt", root, rest, NULL), root, rest);
    mr_field *smooth = apply(c, "smoothstep", zero, one, chosen);
    mr_field *a = apply(c, "mul", smooth, y, NULL), *b = apply(c, "add", a, root, NULL);
    mr_field *d = apply(c, "max", b, rest, NULL), *e = apply(c, "min", d, sum, NULL);
    mr_field *f = apply(c, "mul", e, e, NULL), *g = apply(c, "add", f, one, NULL);
    mr_field *h = apply(c, "sqrt", g, NULL, NULL), *i = apply(c, "floor", h, NULL, NULL);
    return apply(c, "add", h, i, NULL);
}

static bool run_program(void *argument, mr_error *error)
{
    const work *w = argument;
    return mr_map_elements(w->context, w->program, ELEMENTS, w->position, w->out, error);
}

static bool evaluate(void *argument, mr_error *error)
{
    const work *w = argument;
    mr_count domain = mr_count_plain(ELEMENTS);
    mr_column *out = mr_field_evaluate(w->context, w->field, &domain, NULL, error);
    mr_column_release(out);
    return out != NULL;
}

static void run_noise(const bench *b, work *w, const char *name, mr_noise_kind kind, uint32_t octaves)
{
    mr_error error = { 0 };
    const mr_noise_settings settings = {
        .kind = kind, .seed = 7, .octaves = octaves, .lacunarity = 2, .gain = 0.5f, .jitter = 1
    };
    mr_field *position = mr_field_position(b->context, &error);
    mr_field *field = mr_field_noise(b->context, &settings, position, &error);
    mr_element_program *program = field ? mr_field_program_create(b->context, field, &error) : NULL;
    if (!program) {
        bench_fail(name, &error);
    }
    w->program = program;
    bench_run(b, name, 5, run_program, w, ELEMENTS, "point", 16.0 * ELEMENTS);
    mr_field_program_destroy(program);
    mr_field_release(field);
    mr_field_release(position);
}

int main(void)
{
    mr_error error = { 0 };
    bench b = bench_begin("fields", NULL);
    mr_column *first = random_floats(b.context, 1), *second = random_floats(b.context, 2);
    work w = { .context = b.context, .field = chain_of_20(b.context, first, second) };
    mr_element_program *program = mr_field_program_create(b.context, w.field, &error);
    w.program = program;
    w.out = mr_buffer_take(b.context, sizeof(float) * ELEMENTS, &error);
    if (!program || !w.out) {
        bench_fail("field", &error);
    }
    const double bytes = 12.0 * ELEMENTS;
    printf("%zu operations an element (at most 50 ms on this issue's two cores)\n",
           mr_field_program_length(program));
    bench_run(&b, "20 operations, into a warm buffer", 9, run_program, &w, ELEMENTS, "element", bytes);
    mr_buffer_release(b.context, w.out);
    bench_run(&b, "evaluated to a published column, which is hashed", 9, evaluate, &w, ELEMENTS, "element",
              bytes);
    mr_buffer_trim(b.context);
    bench_run_cold(&b, "the same, cold", evaluate, &w, ELEMENTS, "element", bytes);
    mr_field_program_destroy(program);
    mr_column_release(first);
    mr_column_release(second);
    float *points = mr_buffer_take(b.context, 3 * sizeof(float) * ELEMENTS, &error);
    w.out = points ? mr_buffer_take(b.context, sizeof(float) * ELEMENTS, &error) : NULL;
    if (!w.out) {
        bench_fail("points", &error);
    }
    uint32_t word = 3;
    for (size_t i = 0; i < (size_t)3 * ELEMENTS; i++) {
        word = word * 1664525u + 1013904223u;
        points[i] = (float)(word >> 8) * 0x1p-17f - 64.0f;
    }
    w.position = points;
    printf("noise at arbitrary points (gradient, space, 6 octaves: at most 200 ms)\n");
    run_noise(&b, &w, "gradient noise in space, 6 octaves", MR_NOISE_GRADIENT3, 6);
    run_noise(&b, &w, "gradient noise in space", MR_NOISE_GRADIENT3, 1);
    run_noise(&b, &w, "gradient noise in the plane, 6 octaves", MR_NOISE_GRADIENT2, 6);
    run_noise(&b, &w, "value noise in space, 6 octaves", MR_NOISE_VALUE3, 6);
    run_noise(&b, &w, "simplex noise in space, 6 octaves", MR_NOISE_SIMPLEX3, 6);
    run_noise(&b, &w, "Worley noise in space", MR_NOISE_WORLEY3, 1);
    mr_buffer_release(b.context, w.out);
    mr_buffer_release(b.context, points);
    return 0;
}
