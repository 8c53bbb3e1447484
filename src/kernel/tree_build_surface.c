// kernel/tree_build_surface.c: a tree by binned surface area.
//
// A range is cut along the axis, and between the two of its BINS slices, where the sum of each half's area times its
// blocks of eight is least (Wald 2007). Where no such cut parts the items, or DEEPEST cuts have not, it is cut in the
// middle of its order. Minima, maxima and counts come to the same in any order, so sharing the work out changes nothing.

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/tree_state.h"

enum { BINS = 16, DEEPEST = 40, GRAIN = 16384, SHARED_LEAST = 4 * GRAIN };

// A box and the item in it, which move together.
typedef struct reference {
    mr_box box;
    uint32_t item, padding;
} reference;

typedef struct bins {
    mr_box box[3][BINS];
    uint32_t count[3][BINS];
} bins;

// Which bin a box is in: that of twice its centre.
typedef struct slicing {
    float low[3], scale[3];
} slicing;

typedef struct job {
    mr_context *context;
    const mr_tree_items *items;
    reference *references;
} job;

static inline void twice_centre(const mr_box *box, float out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = box->low[axis] + box->high[axis];
    }
}

static inline uint32_t bin_of(const slicing *s, const mr_box *box, int axis)
{
    float at = ((box->low[axis] + box->high[axis]) - s->low[axis]) * s->scale[axis];
    return at >= (float)(BINS - 1) ? BINS - 1 : at > 0.0f ? (uint32_t)at : 0;
}

// Half the surface; the empty box has none.
static double area_of(const mr_box *box)
{
    double x = (double)box->high[0] - (double)box->low[0], y = (double)box->high[1] - (double)box->low[1];
    double z = (double)box->high[2] - (double)box->low[2];
    return x >= 0.0 ? x * y + y * z + z * x : 0.0;
}

static double blocks_of(uint32_t count)
{
    return (double)((count + MR_TREE_WIDTH - 1) / MR_TREE_WIDTH);
}

static void clear_bins(bins *b)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < BINS; i++) {
            b->box[axis][i] = mr_box_empty();
            b->count[axis][i] = 0;
        }
    }
}

static void add_bins(bins *b, const bins *other)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < BINS; i++) {
            mr_box_add(&b->box[axis][i], &other->box[axis][i]);
            b->count[axis][i] += other->count[axis][i];
        }
    }
}

static mr_box centres_of(const reference *references, size_t count)
{
    mr_box box = mr_box_empty();
    for (size_t i = 0; i < count; i++) {
        float centre[3];
        twice_centre(&references[i].box, centre);
        mr_box_add_point(&box, centre);
    }
    return box;
}

static void fill_bins(bins *b, const slicing *s, const reference *references, size_t count)
{
    clear_bins(b);
    for (size_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            uint32_t bin = bin_of(s, &references[i].box, axis);
            mr_box_add(&b->box[axis][bin], &references[i].box);
            b->count[axis][bin]++;
        }
    }
}

// The same of a range that is shared out: each run adds what it found under a lock.
typedef struct shared {
    const reference *references;
    mr_mutex lock;
    const slicing *slicing; // NULL: the centres' bounds
    mr_box centres;
    bins *bins;
} shared;

static bool shared_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    shared *s = argument;
    bins own;
    mr_box centres = mr_box_empty();
    (void)error;
    if (s->slicing) {
        fill_bins(&own, s->slicing, s->references + begin, end - begin);
    } else {
        centres = centres_of(s->references + begin, end - begin);
    }
    mr_mutex_lock(&s->lock);
    if (s->slicing) {
        add_bins(s->bins, &own);
    } else {
        mr_box_add(&s->centres, &centres);
    }
    mr_mutex_unlock(&s->lock);
    return true;
}

static slicing slicing_of(const mr_box *centres)
{
    slicing s;
    for (int axis = 0; axis < 3; axis++) {
        float size = centres->high[axis] - centres->low[axis];
        s.low[axis] = centres->low[axis];
        s.scale[axis] = size > 0.0f ? (float)BINS / size : 0.0f;
    }
    return s;
}

static bool slice_shared(const job *j, const reference *references, size_t count, slicing *slices, bins *b,
                         mr_error *error)
{
    shared s = { .references = references, .centres = mr_box_empty(), .bins = b };
    mr_mutex_init(&s.lock);
    bool good = mr_parallel_for(j->context, count, GRAIN, shared_run, &s, error);
    *slices = slicing_of(&s.centres);
    s.slicing = slices;
    clear_bins(b);
    good = good && mr_parallel_for(j->context, count, GRAIN, shared_run, &s, error);
    mr_mutex_destroy(&s.lock);
    return good;
}

static bool slice(const job *j, const mr_tree_range *range, bool alone, slicing *slices, bins *b,
                  mr_error *error)
{
    const reference *references = j->references + range->first;
    if (!alone && range->count >= SHARED_LEAST) {
        return slice_shared(j, references, range->count, slices, b, error);
    }
    mr_box centres = centres_of(references, range->count);
    *slices = slicing_of(&centres);
    fill_bins(b, slices, references, range->count);
    return true;
}

typedef struct choice {
    double cost;
    int axis;     // -1: there is no cut
    uint32_t bin; // the first of the upper half
} choice;

static void choose_along(const bins *b, int axis, choice *best)
{
    double above[BINS]; // the cost of the upper half from each bin on
    mr_box box = mr_box_empty();
    uint32_t count = 0;
    for (int i = BINS; i-- > 1;) {
        mr_box_add(&box, &b->box[axis][i]);
        count += b->count[axis][i];
        above[i] = count ? area_of(&box) * blocks_of(count) : -1.0;
    }
    box = mr_box_empty();
    count = 0;
    for (int i = 1; i < BINS; i++) {
        mr_box_add(&box, &b->box[axis][i - 1]);
        count += b->count[axis][i - 1];
        double cost = area_of(&box) * blocks_of(count) + above[i];
        if (count && above[i] >= 0.0 && (best->axis < 0 || cost < best->cost)) {
            *best = (choice){ cost, axis, (uint32_t)i };
        }
    }
}

// Puts the references of the lower bins first. Answers how many those are.
static uint32_t part(reference *references, uint32_t count, const slicing *s, const choice *at)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        if (bin_of(s, &references[low].box, at->axis) < at->bin) {
            low++;
        } else {
            reference put = references[--high];
            references[high] = references[low];
            references[low] = put;
        }
    }
    return low;
}

static mr_box box_of(const reference *references, size_t count)
{
    mr_box box = mr_box_empty();
    for (size_t i = 0; i < count; i++) {
        mr_box_add(&box, &references[i].box);
    }
    return box;
}

static mr_box box_of_bins(const bins *b, const choice *at, uint32_t from, uint32_t to)
{
    mr_box box = mr_box_empty();
    for (uint32_t i = from; i < to; i++) {
        mr_box_add(&box, &b->box[at->axis][i]);
    }
    return box;
}

static void cut_middle(const job *j, const mr_tree_range *range, mr_tree_range halves[2])
{
    uint32_t half = range->count / 2, middle = range->first + half;
    halves[0] = (mr_tree_range){ .first = range->first, .count = half };
    halves[1] = (mr_tree_range){ .first = middle, .count = range->count - half };
    for (int i = 0; i < 2; i++) {
        halves[i].box = box_of(j->references + halves[i].first, halves[i].count);
    }
}

static bool cut(void *self, const mr_tree_range *range, uint32_t depth, bool alone, mr_tree_range halves[2],
                mr_error *error)
{
    const job *j = self;
    slicing slices;
    bins b;
    choice best = { .axis = -1 };
    if (depth < DEEPEST) {
        if (!slice(j, range, alone, &slices, &b, error)) {
            return false;
        }
        for (int axis = 0; axis < 3; axis++) {
            choose_along(&b, axis, &best);
        }
    }
    if (best.axis < 0) {
        cut_middle(j, range, halves);
    } else {
        uint32_t left = part(j->references + range->first, range->count, &slices, &best);
        halves[0] = (mr_tree_range){ .first = range->first,
                                     .count = left,
                                     .box = box_of_bins(&b, &best, 0, best.bin) };
        halves[1] = (mr_tree_range){ .first = range->first + left,
                                     .count = range->count - left,
                                     .box = box_of_bins(&b, &best, best.bin, BINS) };
    }
    halves[0].weight = area_of(&halves[0].box);
    halves[1].weight = area_of(&halves[1].box);
    return true;
}

static bool gather_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        reference *r = &j->references[i];
        r->item = mr_tree_item_box(j->items, (uint32_t)i, &r->box) ? (uint32_t)i : MR_TREE_NONE;
    }
    return true;
}

// Those that take part, moved together.
static mr_tree_range take_part(const job *j)
{
    mr_tree_range whole = { .box = mr_box_empty() };
    for (size_t i = 0; i < j->items->count; i++) {
        if (j->references[i].item != MR_TREE_NONE) {
            mr_box_add(&whole.box, &j->references[i].box);
            j->references[whole.count++] = j->references[i];
        }
    }
    return whole;
}

bool mr_tree_build_surface(mr_tree *tree, const mr_tree_items *items, mr_error *error)
{
    job j = { .context = tree->context,
              .items = items,
              .references = mr_buffer_take(tree->context, items->count * sizeof *j.references, error) };
    if (!j.references) {
        return false;
    }
    mr_tree_builder builder = { .self = &j,
                                .cut = cut,
                                .order = &j.references->item,
                                .stride = sizeof *j.references / sizeof(uint32_t),
                                .leaf_most = items->faces ? MR_TREE_WIDTH : 1 };
    bool good = mr_parallel_for(tree->context, items->count, GRAIN / 4, gather_run, &j, error);
    if (good) {
        mr_tree_range whole = take_part(&j);
        good = mr_tree_plan(tree, items, &builder, &whole, error);
    }
    mr_buffer_release(tree->context, j.references);
    return good;
}
