// Mesh connectivity: the table of edges of a million triangles, and pointer jumping over 16.7 million elements. The
// limit is a copy of the bytes that are read and written at the least; links that lead all over memory fetch a cache
// line, and at times a page's address, for every word, and the rows of random links say what that comes to.

#include "bench.h"

#include "kernel/edge_table.h"
#include "kernel/jump.h"

enum { WIDE = 1000, HIGH = 500, TRIANGLES = 2 * WIDE * HIGH, VERTICES = 3 * TRIANGLES };
enum { POINTS = (WIDE + 1) * (HIGH + 1), ELEMENTS = 1 << 24 };

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// 0 .. count - 1 in a random order.
static void shuffle(int32_t *words, size_t count)
{
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        size_t other = next(&state) % (i + 1);
        words[i] = words[other];
        words[other] = (int32_t)i;
    }
}

static int32_t *words_of(const bench *b, size_t count)
{
    mr_error error = { 0 };
    int32_t *words = mr_buffer_take(b->context, count * sizeof *words, &error);
    if (!words) {
        bench_fail("memory", &error);
    }
    return words;
}

// Edges.

typedef struct edge_work {
    mr_context *context;
    mr_linkage mesh;
    mr_sides sides;
    size_t edges;
} edge_work;

static bool build_sides(void *argument, mr_error *error)
{
    const edge_work *work = argument;
    return mr_edges_sides(work->context, &work->mesh, &work->sides, error);
}

static bool build_table(void *argument, mr_error *error)
{
    edge_work *work = argument;
    mr_edge_table table;
    bool good = mr_edge_table_build(work->context, &work->mesh, &table, error);
    work->edges = table.edges;
    if (good) {
        mr_edge_table_release(work->context, &table);
    }
    return good;
}

// A sheet of triangles; shuffled: its triangles and its points under numbers that say nothing of where they are.
static void lay_sheet(int32_t *pt, bool shuffled)
{
    int32_t *face = malloc((size_t)TRIANGLES * sizeof *face), *point = malloc((size_t)POINTS * sizeof *point);
    if (!face || !point) {
        exit(1);
    }
    for (int32_t i = 0; i < TRIANGLES; i++) {
        face[i] = i;
    }
    for (int32_t i = 0; i < POINTS; i++) {
        point[i] = i;
    }
    if (shuffled) {
        shuffle(face, TRIANGLES);
        shuffle(point, POINTS);
    }
    for (int32_t i = 0; i < TRIANGLES; i++) {
        int32_t low = i / 2 / WIDE * (WIDE + 1) + i / 2 % WIDE, up = low + WIDE + 1;
        int32_t *out = &pt[3 * face[i]];
        out[0] = point[low];
        out[1] = point[i % 2 == 0 ? low + 1 : up + 1];
        out[2] = point[i % 2 == 0 ? up + 1 : up];
    }
    free(face);
    free(point);
}

static void bench_edges(const bench *b)
{
    int32_t *words = words_of(b, (size_t)VERTICES * 5 + (size_t)TRIANGLES * 2);
    int32_t *pt = words, *vstart = pt + 5 * VERTICES, *vcount = vstart + TRIANGLES;
    edge_work work = { b->context, { pt, VERTICES, vstart, vcount, TRIANGLES, NULL }, { 0 }, 0 };
    work.sides = (mr_sides){ pt + VERTICES, pt + 2 * VERTICES, pt + 3 * VERTICES, pt + 4 * VERTICES };
    for (int32_t i = 0; i < TRIANGLES; i++) {
        vstart[i] = 3 * i;
        vcount[i] = 3;
    }
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        double linkage = 4.0 * (VERTICES + 2.0 * TRIANGLES), sides = 16.0 * VERTICES;
        lay_sheet(pt, shuffled);
        if (!shuffled) {
            bench_run(b, "edges: the sides of 1,000,000 triangles", 11, build_sides, &work, TRIANGLES, "tri",
                      linkage + sides);
            bench_run_cold(b, "edge table, 1,000,000 triangles in order, cold", build_table, &work, TRIANGLES,
                           "tri", linkage + 12.0 * VERTICES + 24e6);
        }
        bench_run(
            b, shuffled ? "edge table, triangles and points shuffled" : "edge table, triangles in order", 11,
            build_table, &work, TRIANGLES, "tri", linkage + 12.0 * VERTICES + 16.0 * (double)work.edges);
    }
    mr_buffer_release(b->context, words);
}

// Jumps.

typedef struct jump_work {
    mr_context *context;
    mr_jump jump;
    int32_t *la, *lb, *label;
} jump_work;

static bool rank(void *argument, mr_error *error)
{
    const jump_work *work = argument;
    return mr_jump_rank(work->context, &work->jump, ELEMENTS, error);
}

static bool least(void *argument, mr_error *error)
{
    const jump_work *work = argument;
    return mr_jump_min(work->context, &work->jump, ELEMENTS, error);
}

static bool label(void *argument, mr_error *error)
{
    const jump_work *work = argument;
    size_t changed;
    for (int32_t i = 0; i < ELEMENTS; i++) {
        work->label[i] = i;
    }
    return mr_jump_label(work->context, work->la, work->lb, ELEMENTS, work->label, ELEMENTS, &changed, error);
}

static void bench_jumps(const bench *b)
{
    int32_t *words = words_of(b, (size_t)ELEMENTS * 4), *order = words_of(b, ELEMENTS);
    mr_jump jump = { words, words + ELEMENTS, words + 2 * ELEMENTS, words + 3 * ELEMENTS };
    jump_work work = { b->context, jump, words, words + ELEMENTS, words + 2 * ELEMENTS };
    double bytes = 16.0 * ELEMENTS;
    for (int32_t i = 0; i < ELEMENTS; i++) {
        words[i] = (i + 1) % ELEMENTS;
        words[ELEMENTS + i] = i;
    }
    bench_run(b, "jump rank, 16.7 M links to the next element", 7, rank, &work, ELEMENTS, "elem", bytes);
    bench_run(b, "jump min, 16.7 M links to the next element", 7, least, &work, ELEMENTS, "elem", bytes);
    shuffle(order, ELEMENTS); // one ring through all of memory
    for (int32_t i = 0; i < ELEMENTS; i++) {
        words[order[i]] = order[(i + 1) % ELEMENTS];
    }
    bench_run_cold(b, "jump rank, 16.7 M random links, once", rank, &work, ELEMENTS, "elem", bytes);
    bench_run(b, "jump rank, 16.7 M random links", 7, rank, &work, ELEMENTS, "elem", bytes);
    bench_run(b, "jump min, 16.7 M random links", 7, least, &work, ELEMENTS, "elem", bytes);
    for (int32_t i = 0; i < ELEMENTS; i++) {
        words[i] = i;
        words[ELEMENTS + i] = i % 4096 == 0 ? i : i - 1;
    }
    bench_run(b, "jump label, 16.7 M pairs of neighbours, labels reset", 3, label, &work, ELEMENTS, "pair",
              bytes);
    uint64_t state = 2;
    for (int32_t i = 0; i < ELEMENTS; i++) {
        words[i] = (int32_t)(next(&state) % ELEMENTS);
        words[ELEMENTS + i] = (int32_t)(next(&state) % ELEMENTS);
    }
    bench_run(b, "jump label, 16.7 M random pairs, labels reset", 3, label, &work, ELEMENTS, "pair", bytes);
    mr_buffer_release(b->context, order);
    mr_buffer_release(b->context, words);
}

int main(void)
{
    mr_context_config config = mr_context_config_default();
    bench b = bench_begin("mesh connectivity", &config);
    bench_edges(&b);
    bench_jumps(&b);
    bench_end(&b);
    return 0;
}
