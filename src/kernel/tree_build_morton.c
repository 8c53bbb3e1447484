// kernel/tree_build_morton.c: a tree by Morton order: the order, and the cuts, of the bvh kernels' table.

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/bvh.h"
#include "kernel/sort.h"
#include "kernel/tree_state.h"

enum { GRAIN = 4096 };
#define LEFT_OUT (UINT32_C(1) << 30) // past every code

typedef struct job {
    const mr_tree_items *items;
    mr_box scene;
    mr_box *partial; // one a run
    size_t scene_count;
    uint32_t *codes, *order, *sorted;
} job;

// The scene is the points that count, or the boxes.
static bool scene_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_tree_items *items = j->items;
    mr_box box = mr_box_empty(), other;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        if (!items->faces) {
            if (mr_tree_item_box(items, (uint32_t)i, &other)) {
                mr_box_add(&box, &other);
            }
        } else if (mr_tree_point_counts(items->faces->points + 3 * i)) {
            mr_box_add_point(&box, items->faces->points + 3 * i);
        }
    }
    j->partial[mr_parallel_run_of(j->scene_count, GRAIN, begin)] = box;
    return true;
}

static bool code_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        mr_box box;
        bool counts = mr_tree_item_box(j->items, (uint32_t)i, &box);
        j->codes[i] = counts ? mr_bvh_code(&box, &j->scene) : LEFT_OUT;
    }
    return true;
}

static bool sorted_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t k = begin; k < end; k++) {
        j->sorted[k] = j->codes[j->order[k]];
    }
    return true;
}

static bool find_scene(mr_context *context, job *j, mr_error *error)
{
    j->scene_count = j->items->faces ? j->items->faces->point_count : j->items->count;
    size_t runs = mr_parallel_runs(j->scene_count, GRAIN);
    j->partial = mr_allocate(context, (runs + 1) * sizeof *j->partial);
    if (!j->partial) {
        return mr_fail_memory(error, (runs + 1) * sizeof *j->partial);
    }
    bool good = mr_parallel_for(context, j->scene_count, GRAIN, scene_run, j, error);
    j->scene = mr_box_empty();
    for (size_t i = 0; good && i < runs; i++) {
        mr_box_add(&j->scene, &j->partial[i]);
    }
    mr_free(context, j->partial);
    return good;
}

// The first place of the range whose code is `code` or more.
static uint32_t place_of(const uint32_t *codes, uint32_t first, uint32_t count, uint32_t code)
{
    while (count > 0) {
        uint32_t half = count / 2;
        bool below = codes[first + half] < code;
        first += below ? half + 1 : 0;
        count = below ? count - half - 1 : half;
    }
    return first;
}

// A range of a larger cell of space is cut before one of a smaller.
static double weight_of(const uint32_t *codes, uint32_t first, uint32_t count)
{
    uint32_t difference = count ? codes[first] ^ codes[first + count - 1] : 0;
    return difference ? -(double)__builtin_clz(difference) : -32.0;
}

static bool cut(void *self, const mr_tree_range *range, uint32_t depth, bool alone, mr_tree_range halves[2],
                mr_error *error)
{
    const job *j = self;
    (void)depth, (void)alone, (void)error;
    uint32_t last = range->first + range->count - 1;
    uint32_t difference = j->sorted[range->first] ^ j->sorted[last];
    uint32_t middle = range->first + range->count / 2;
    if (difference) {
        uint32_t bit = UINT32_C(1) << (31 - __builtin_clz(difference));
        middle = place_of(j->sorted, range->first, range->count, j->sorted[last] & ~(bit - 1));
    }
    uint32_t left = middle - range->first, right = range->count - left;
    halves[0] =
        (mr_tree_range){ range->first, left, weight_of(j->sorted, range->first, left), mr_box_empty() };
    halves[1] = (mr_tree_range){ middle, right, weight_of(j->sorted, middle, right), mr_box_empty() };
    return true;
}

static bool order_and_plan(mr_tree *tree, job *j, mr_error *error)
{
    mr_context *context = tree->context;
    size_t count = j->items->count;
    bool good = find_scene(context, j, error) && mr_parallel_for(context, count, GRAIN, code_run, j, error) &&
                mr_sort_permutation(context, j->codes, count, 31, j->order, error) &&
                mr_parallel_for(context, count, GRAIN, sorted_run, j, error);
    if (!good) {
        return false;
    }
    mr_tree_builder builder = { .self = j,
                                .cut = cut,
                                .order = j->order,
                                .stride = 1,
                                .leaf_most = j->items->faces ? MR_TREE_WIDTH : 1 };
    mr_tree_range whole = { .count = place_of(j->sorted, 0, (uint32_t)count, LEFT_OUT) };
    return mr_tree_plan(tree, j->items, &builder, &whole, error);
}

bool mr_tree_build_morton(mr_tree *tree, const mr_tree_items *items, mr_error *error)
{
    uint32_t *words = mr_buffer_take(tree->context, 3 * items->count * sizeof *words, error);
    if (!words) {
        return false;
    }
    job j = {
        .items = items, .codes = words, .order = words + items->count, .sorted = words + 2 * items->count
    };
    bool good = order_and_plan(tree, &j, error);
    mr_buffer_release(tree->context, words);
    return good;
}
