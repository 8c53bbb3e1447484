// test/kernel/intersect_chain.h: the intersect kernels run one after another, as a graph runs them.

#ifndef MARRAM_TEST_INTERSECT_CHAIN_H
#define MARRAM_TEST_INTERSECT_CHAIN_H

#include "run_kernel.h"

#include "kernel/intersect_core.h"

#include <math.h>

typedef struct mesh {
    float *points;
    uint32_t *triangles;
    size_t point_count, triangle_count;
} mesh;

static mesh mesh_of(const float *points, size_t point_count, const uint32_t *triangles, size_t triangle_count)
{
    mesh m = { malloc((3 * point_count + 1) * sizeof(float)),
               malloc((3 * triangle_count + 1) * sizeof(uint32_t)), point_count, triangle_count };
    memcpy(m.points, points, 3 * point_count * sizeof(float));
    memcpy(m.triangles, triangles, 3 * triangle_count * sizeof(uint32_t));
    return m;
}

static void mesh_free(mesh *m)
{
    free(m->points);
    free(m->triangles);
    *m = (mesh){ 0 };
}

static mr_triangles view_of(const mesh *m)
{
    return (mr_triangles){ m->points, m->triangles, m->point_count, m->triangle_count };
}

// Any tree will do: halves of the run of triangles, with their bounds.
static void tree_range(const mesh *m, uint32_t *nodes, uint32_t *next, uint32_t first, uint32_t last,
                       uint32_t *node)
{
    float box[6] = { INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY };
    for (size_t i = 3 * (size_t)first; i < 3 * ((size_t)last + 1); i++) {
        for (int k = 0; m->triangles[i] < m->point_count && k < 3; k++) {
            float x = m->points[3 * (size_t)m->triangles[i] + (size_t)k];
            box[k] = x < box[k] ? x : box[k];
            box[3 + k] = x > box[3 + k] ? x : box[3 + k];
        }
    }
    uint32_t left = first, right = UINT32_MAX;
    if (first == last) {
        *node = (uint32_t)m->triangle_count - 1 + first;
    } else {
        *node = (*next)++;
        tree_range(m, nodes, next, first, (first + last) / 2, &left);
        tree_range(m, nodes, next, (first + last) / 2 + 1, last, &right);
    }
    uint32_t *words = nodes + 8 * (size_t)*node;
    memcpy(words, box, sizeof box);
    words[6] = left;
    words[7] = right;
}

static uint32_t *tree_of(const mesh *m)
{
    uint32_t *nodes = calloc(16 * m->triangle_count + 1, sizeof *nodes), next = 0, root;
    if (m->triangle_count > 0) {
        tree_range(m, nodes, &next, 0, (uint32_t)m->triangle_count - 1, &root);
        assert_int_equal(root, 0);
    }
    return nodes;
}

static void bind_words(kernel_run *run, const char *name, const void *words, size_t count)
{
    kernel_bind(run, name, words, count);
}

static void bind_points(kernel_run *run, const char *name, const mesh *m)
{
    size_t at = run->request.bind_count++;
    float none[3] = { 0 };
    mr_column *column = mr_column_from(run->context, MR_COLUMN_VEC3, m->point_count ? m->points : none,
                                       m->point_count, &run->error);
    assert_non_null(column);
    run->columns[at] = mr_column_publish(column);
    run->binds[at] = (mr_bind){ .name = name, .kind = MR_BIND_COLUMN, .column = column };
}

static void bind_meshes(kernel_run *run, const mesh *a, const mesh *b)
{
    bind_points(run, "apts", a);
    bind_words(run, "atri", a->triangles, 3 * a->triangle_count);
    bind_points(run, "bpts", b);
    bind_words(run, "btri", b->triangles, 3 * b->triangle_count);
}

static uint32_t *words_out(const kernel_run *run, const char *name, size_t count)
{
    const mr_column *column = mr_kernel_result_find(&run->result, name);
    assert_non_null(column);
    assert_int_equal(column->count, count);
    uint32_t *copy = malloc((count + 1) * sizeof *copy);
    memcpy(copy, column->data, count * sizeof *copy);
    return copy;
}

// What the chain made.
typedef struct chain {
    size_t entries;
    uint32_t *counts, *start; // a triangle of A
    uint32_t *pairs;
    mr_cut_end *ends;
    uint32_t *rep;
} chain;

static void chain_free(chain *c)
{
    free(c->counts);
    free(c->start);
    free(c->pairs);
    free(c->ends);
    free(c->rep);
}

static void begin_pairs(kernel_run *run, mr_context *context, const mesh *a, const mesh *b, long live,
                        const uint32_t *nodes)
{
    kernel_begin(run, context, "intersect_pairs", a->triangle_count, live);
    bind_meshes(run, a, b);
    bind_words(run, "nodes", nodes, b->triangle_count ? 16 * b->triangle_count - 8 : 0);
    kernel_param(run, "nb", (double)b->triangle_count);
}

static void chain_pairs(mr_context *context, const mesh *a, const mesh *b, long live, chain *c)
{
    kernel_run run;
    uint32_t *nodes = tree_of(b);
    size_t there = live < 0 ? a->triangle_count : (size_t)live;
    begin_pairs(&run, context, a, b, live, nodes);
    kernel_choose(&run, "STAGE", "count");
    kernel_go_ok(&run);
    c->counts = words_out(&run, "cnt", a->triangle_count);
    kernel_end(&run);
    c->start = malloc((a->triangle_count + 1) * sizeof *c->start);
    for (size_t i = 0; i < a->triangle_count; i++) {
        c->start[i] = (uint32_t)c->entries;
        c->entries += c->counts[i];
        assert_true(i < there || c->counts[i] == 0);
    }
    begin_pairs(&run, context, a, b, live, nodes);
    kernel_choose(&run, "STAGE", "write");
    bind_words(&run, "start", c->start, a->triangle_count);
    kernel_param(&run, "total", (double)c->entries);
    kernel_go_ok(&run);
    c->pairs = words_out(&run, "pairs", 3 * c->entries);
    kernel_end(&run);
    free(nodes);
}

static void chain_cuts(mr_context *context, const mesh *a, const mesh *b, chain *c)
{
    kernel_run run;
    kernel_begin(&run, context, "intersect_cuts", c->entries, -1);
    bind_meshes(&run, a, b);
    bind_words(&run, "pairs", c->pairs, 3 * c->entries);
    kernel_go_ok(&run);
    c->ends = (mr_cut_end *)words_out(&run, "cut", 16 * c->entries);
    kernel_end(&run);
}

static void chain_unify(mr_context *context, chain *c)
{
    static const char *const stages[] = { "claim", "fold", "resolve" };
    size_t slots = 2 * c->entries, cells = 1;
    while (cells < 2 * slots) {
        cells *= 2;
    }
    uint32_t *table = calloc(cells, sizeof *table), *lowest = calloc(cells, sizeof *lowest);
    c->rep = calloc(slots + 1, sizeof *c->rep);
    for (int stage = 0; stage < 3; stage++) {
        kernel_run run;
        kernel_begin(&run, context, "intersect_unify", slots, -1);
        kernel_choose(&run, "STAGE", stages[stage]);
        bind_words(&run, "cut", c->ends, 8 * slots);
        bind_words(&run, "table", table, cells);
        bind_words(&run, "lowest", lowest, cells);
        bind_words(&run, "rep", c->rep, slots);
        kernel_param(&run, "cells", (double)cells);
        kernel_go_ok(&run);
        free(table);
        free(lowest);
        free(c->rep);
        table = words_out(&run, "table", cells);
        lowest = words_out(&run, "lowest", cells);
        c->rep = words_out(&run, "rep", slots);
        kernel_end(&run);
    }
    free(table);
    free(lowest);
}

static chain chain_run(mr_context *context, const mesh *a, const mesh *b)
{
    chain c = { 0 };
    chain_pairs(context, a, b, -1, &c);
    chain_cuts(context, a, b, &c);
    chain_unify(context, &c);
    return c;
}

#endif
