// kernel/scan_mat4.c: running products of matrices.

#include "kernel/scan_mat4.h"

#include "base/memory.h"
#include "base/thread.h"

#include <string.h>

enum { BLOCK = 128, LONG = 8 * BLOCK };

// A column.
typedef float quad __attribute__((vector_size(16)));
typedef struct matrix {
    quad columns[4];
} matrix;

static matrix load(const mr_mat4 *from)
{
    matrix m;
    memcpy(&m, from, sizeof m);
    return m;
}

static void store(mr_mat4 *to, const matrix *m)
{
    memcpy(to, m, sizeof *m);
}

static matrix product(const matrix *a, const matrix *b)
{
    matrix m;
    for (int c = 0; c < 4; c++) {
        quad x = b->columns[c];
        m.columns[c] =
            a->columns[0] * x[0] + a->columns[1] * x[1] + a->columns[2] * x[2] + a->columns[3] * x[3];
    }
    return m;
}

typedef struct group {
    mr_context *context;
    const mr_scan_mat4_run *run;
    size_t begin, count;
    mr_mat4 *before; // what stands before each block but the first
} group;

static size_t block_size(const group *g, size_t block)
{
    size_t left = g->count - block * BLOCK;
    return left < BLOCK ? left : BLOCK;
}

// The products inside a block; answers the last.
static matrix multiply_block(const group *g, size_t block)
{
    const mr_mat4 *from = g->run->from + g->begin + block * BLOCK;
    mr_mat4 *to = g->run->to + g->begin + block * BLOCK;
    matrix m = load(from);
    store(to, &m);
    for (size_t i = 1; i < block_size(g, block); i++) {
        matrix next = load(from + i);
        m = product(&m, &next);
        store(to + i, &m);
    }
    return m;
}

// The products inside a block turned into its answers; answers the last inclusive one. Nothing stands before block 0.
static matrix place_block(const group *g, size_t block, const matrix *before)
{
    mr_mat4 *to = g->run->to + g->begin + block * BLOCK;
    mr_mat4 identity = mr_mat4_identity();
    matrix last = before ? *before : load(&identity);
    for (size_t i = 0; i < block_size(g, block); i++) {
        matrix own = load(to + i);
        own = before ? product(before, &own) : own;
        store(to + i, g->run->exclusive ? &last : &own);
        last = own;
    }
    return last;
}

static matrix scan_short(const group *g)
{
    mr_mat4 identity = mr_mat4_identity();
    matrix last = load(&identity);
    for (size_t block = 0; block * BLOCK < g->count; block++) {
        matrix before = last;
        multiply_block(g, block);
        last = place_block(g, block, block > 0 ? &before : NULL);
    }
    return last;
}

static bool multiply_blocks(void *argument, size_t begin, size_t end, mr_error *error)
{
    const group *g = argument;
    (void)error;
    for (size_t block = begin; block < end; block++) {
        matrix last = multiply_block(g, block);
        store(g->before + block, &last);
    }
    return true;
}

static bool place_blocks(void *argument, size_t begin, size_t end, mr_error *error)
{
    const group *g = argument;
    (void)error;
    for (size_t block = begin; block < end; block++) {
        matrix before = load(g->before + block);
        place_block(g, block, block > 0 ? &before : NULL);
    }
    return true;
}

// From the blocks' last products to what stands before each; answers the product of all.
static matrix chain_blocks(const group *g, size_t blocks)
{
    matrix before = load(g->before), all = before;
    for (size_t block = 1; block < blocks; block++) {
        matrix own = load(g->before + block);
        before = all;
        all = product(&all, &own);
        store(g->before + block, &before);
    }
    return all;
}

static bool scan_long(group *g, matrix *total, mr_error *error)
{
    size_t blocks = (g->count + BLOCK - 1) / BLOCK;
    g->before = mr_buffer_take(g->context, blocks * sizeof *g->before, error);
    if (!g->before) {
        return false;
    }
    bool good = mr_parallel_for(g->context, blocks, 4, multiply_blocks, g, error);
    if (good) {
        *total = chain_blocks(g, blocks);
        good = mr_parallel_for(g->context, blocks, 4, place_blocks, g, error);
    }
    mr_buffer_release(g->context, g->before);
    return good;
}

typedef struct job {
    mr_context *context;
    const mr_scan_mat4_run *run;
} job;

static group group_of(const job *j, size_t index)
{
    group g = { j->context, j->run, mr_segment_begin(&j->run->segments, index), 0, NULL };
    g.count = mr_segment_end(&j->run->segments, index) - g.begin;
    return g;
}

static bool scan_groups(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t index = begin; index < end; index++) {
        group g = group_of(j, index);
        if (g.count < LONG) {
            matrix total = scan_short(&g);
            if (j->run->totals) {
                store(j->run->totals + index, &total);
            }
        }
    }
    return true;
}

bool mr_scan_mat4(mr_context *context, const mr_scan_mat4_run *run, mr_error *error)
{
    job j = { context, run };
    size_t groups = run->segments.count;
    for (size_t index = 0; run->longest >= LONG && index < groups; index++) {
        group g = group_of(&j, index);
        matrix total;
        if (g.count < LONG) {
            continue;
        }
        if (!scan_long(&g, &total, error)) {
            return false;
        }
        if (run->totals) {
            store(run->totals + index, &total);
        }
    }
    return mr_parallel_for(context, groups, 1 + mr_segments_grain(&run->segments) / 16, scan_groups, &j,
                           error);
}

// The kernel.

enum { SRC, STARTS, DST, TOTAL };
enum { EXCLUSIVE, SEGMENTS };

static bool run(const mr_kernel_call *call, mr_error *error)
{
    static const mr_segment_places places = { STARTS, SEGMENTS, -1, -1 };
    mr_scan_mat4_run scan = { .exclusive = call->params[EXCLUSIVE].u32 != 0,
                              .from = call->slots[SRC].data,
                              .to = call->slots[DST].data,
                              .totals = call->slots[TOTAL].data };
    if (!mr_segments_of(call, places, &scan.segments, &scan.longest, error)) {
        return false;
    }
    if (!mr_scan_mat4(call->context, &scan, error)) {
        return mr_fail_prefix(error, "kernel %s", call->kernel->name);
    }
    for (size_t i = 0; i < mr_segment_begin(&scan.segments, 0); i++) {
        scan.to[i] = mr_mat4_identity();
    }
    return true;
}

const mr_kernel mr_kernel_scan_mat4 = {
    .name = "scan_mat4",
    .summary = "The running product of a run of 4x4 matrices, over all of it or by groups.",
    .determinism = MR_EXACT,
    .gpu = "exact: a thread a block in the order of kernel/scan_mat4.h, no multiply and add fused",
    .bindings = { { .name = "src",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 16,
                    .count = "n",
                    .doc = "The matrices, column by column." },
                  { .name = "starts",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "segments",
                    .optional = true,
                    .doc =
                        "Where each group begins, never falling. A group ends where the next begins, the "
                        "last "
                        "at the last matrix; a start past it begins an empty group. Needed where segments is "
                        "above 0." },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 16,
                    .doc = "The product of a group's matrices up to each one, the first leftmost; the "
                           "identity for "
                           "a matrix of no group." },
                  { .name = "total",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 16,
                    .count = "1 - segments + segments",
                    .doc = "The product of each group; the identity for an empty one." } },
    .params = { { .name = "exclusive",
                  .type = MR_U32,
                  .low = 0,
                  .high = 1,
                  .doc = "1: the product of the matrices before each one, the identity for the first. 0: up "
                         "to and "
                         "including it." },
                { .name = "segments",
                  .type = MR_U32,
                  .low = 0,
                  .high = INT32_MAX,
                  .doc = "How many groups starts has; 0: everything is one group." } },
    .run = run,
};
