// kernel/intersect_unify.c: the first slot of every cut point.
//
// Slots claim their cells in order on one thread, which is what makes the table the same on every run; looking the cells
// up again is done on all.

#include "kernel/intersect_unify.h"

#include "base/memory.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

enum { CUT, TABLE, LOWEST, REP };
enum { CELLS };
enum { COUNT, STAGE };
enum { STAGE_CLAIM, STAGE_FOLD, STAGE_RESOLVE };
enum { GRAIN = 4096 };

uint32_t mr_cut_cell(const uint32_t *table, uint32_t cells, const mr_cut_end *ends, size_t slots,
                     const mr_cut_end *end)
{
    uint32_t cell = mr_cut_hash(end) & (cells - 1);
    for (uint32_t tries = 0; tries < cells; tries++, cell = (cell + 1) & (cells - 1)) {
        if (table[cell] == 0) {
            return cell;
        }
        if (table[cell] > slots) {
            return cells;
        }
        if (mr_cut_same_point(&ends[table[cell] - 1], end)) {
            return cell;
        }
    }
    return cells;
}

bool mr_cut_unify(mr_context *context, const mr_cut_end *ends, size_t slots, uint32_t *rep, mr_error *error)
{
    if (slots > (size_t)1 << 30) {
        return mr_fail(error, MR_LIMIT, "%zu ends of cuts are more than can be numbered", slots);
    }
    uint32_t cells = 1;
    while (cells < 2 * slots) {
        cells *= 2;
    }
    uint32_t *table = mr_buffer_take(context, (size_t)cells * sizeof *table, error);
    if (!table) {
        return false;
    }
    memset(table, 0, (size_t)cells * sizeof *table);
    for (size_t s = 0; s < slots; s++) {
        uint32_t cell = mr_cut_cell(table, cells, ends, slots, &ends[s]);
        table[cell] = table[cell] ? table[cell] : (uint32_t)s + 1;
        rep[s] = table[cell] - 1;
    }
    mr_buffer_release(context, table);
    return true;
}

typedef struct job {
    const mr_kernel_call *call;
    const mr_cut_end *ends;
    uint32_t *table, *lowest, *rep;
    uint32_t cells;
} job;

static bool refuse_table(const job *j, size_t slot, mr_error *error)
{
    return mr_kernel_refuse(error, j->call->kernel, "table",
                            "slot %zu has no cell in it: the stages before did not "
                            "make it",
                            slot);
}

static bool claim(const job *j, mr_error *error)
{
    for (size_t s = 0; s < j->call->live; s++) {
        uint32_t cell = mr_cut_cell(j->table, j->cells, j->ends, j->call->live, &j->ends[s]);
        if (cell == j->cells) {
            return mr_kernel_refuse(error, j->call->kernel, "table",
                                    "is not zero, or has no room for slot %zu", s);
        }
        j->table[cell] = j->table[cell] ? j->table[cell] : (uint32_t)s + 1;
    }
    return mr_keep_going(j->call->context, error);
}

static bool fold(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t s = begin; s < end; s++) {
        uint32_t cell = mr_cut_cell(j->table, j->cells, j->ends, j->call->live, &j->ends[s]);
        if (cell == j->cells || j->table[cell] == 0) {
            return refuse_table(j, s, error);
        }
        j->rep[s] = cell;
        if (j->table[cell] == s + 1) { // the one slot of its point that may write
            j->lowest[cell] = j->table[cell];
        }
    }
    return mr_keep_going(j->call->context, error);
}

static bool resolve(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t s = begin; s < end; s++) {
        if (j->rep[s] >= j->cells || j->lowest[j->rep[s]] == 0) {
            return refuse_table(j, s, error);
        }
        j->rep[s] = j->lowest[j->rep[s]] - 1;
    }
    return mr_keep_going(j->call->context, error);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *s = call->slots;
    job j = {
        .call = call,
        .ends = s[CUT].data,
        .table = s[TABLE].u32,
        .lowest = s[LOWEST].u32,
        .rep = s[REP].u32,
        .cells = call->params[CELLS].u32,
    };
    if ((j.cells & (j.cells - 1)) != 0 || j.cells < 2 * call->n) {
        return mr_kernel_refuse(error, call->kernel, "table",
                                "%u cells: a power of two, and two a slot at least, are needed for %zu slots",
                                j.cells, call->n);
    }
    switch (call->choices[STAGE]) {
    case STAGE_CLAIM:
        return claim(&j, error);
    case STAGE_FOLD:
        return mr_parallel_for(call->context, call->live, GRAIN, fold, &j, error);
    default:
        return mr_parallel_for(call->context, call->live, GRAIN, resolve, &j, error);
    }
}

const mr_kernel mr_kernel_intersect_unify = {
    .name = "intersect_unify",
    .summary = "Finds the ends of cuts that name one point: the lowest slot of each. Three stages over a "
               "hash table, each "
               "bound what the one before it wrote: claim, fold, resolve.",
    .determinism = MR_EXACT,
    .gpu = "exact in rep: which cell a point takes there may differ, its lowest slot does not",
    .bindings = { { .name = "cut",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .flat = true,
                    .count = "8 * n",
                    .doc = "The ends, 8 words a slot, as intersect_cuts writes them." },
                  { .name = "table",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_U32,
                    .count = "cells",
                    .doc = "Zero before claim, which puts 1 + a point's first slot into its cell." },
                  { .name = "lowest",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_U32,
                    .count = "cells",
                    .doc = "Zero before claim; fold puts 1 + the lowest slot of its point into each cell." },
                  { .name = "rep",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_U32,
                    .count = "n",
                    .doc = "After fold each slot's cell, after resolve the lowest slot of its point. Past "
                           "the live slots "
                           "as it was." },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "cells",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 1,
                  .high = 1u << 31,
                  .doc = "Cells of the tables: a power of two, at least two a slot." } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "STAGE", .options = "claim fold resolve", .doc = "Which stage runs." } },
    .run = run,
};
