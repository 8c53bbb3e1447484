// kernel/tree_many.c: rays in any number.
//
// Most of what a ray costs in a large tree is waiting for memory. So many rays are traced in an order in which each
// goes where the one before it went: by where they enter the tree's bounds and whither they point. The order is a
// pure function of the rays, and no answer depends on it.

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/bvh.h"
#include "kernel/sort.h"
#include "kernel/tree_state.h"

enum { GRAIN = 256, KEY_GRAIN = 4096, LOOK_AHEAD = 8 };
enum { SORT_LEAST = 1 << 12, SORT_MOST = 1 << 22 }; // rays in one order
#define TREE_LEAST ((size_t)1 << 20) // bytes: a smaller tree is in the cache whatever the order

typedef struct many {
    mr_context *context;
    const mr_tree *tree;
    const mr_ray *rays;
    mr_hit *hits; // or
    bool *met;
    const uint32_t *order; // NULL: as they stand
    uint32_t *keys;
} many;

// How far along the ray the bounds begin; what is no number is 0.
static float entry_of(const mr_box *bounds, const mr_ray *ray)
{
    float in = ray->low > 0.0f ? ray->low : 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        float d = ray->direction[axis];
        float t = ((d < 0.0f ? bounds->high[axis] : bounds->low[axis]) - ray->origin[axis]) / d;
        in = t > in && t <= ray->high ? t : in;
    }
    return in;
}

// The place of entry in the bounds, four bits an axis, the direction's signs, then five more bits an axis of the place.
static uint32_t key_of(const mr_box *bounds, const mr_ray *ray)
{
    mr_box place;
    float t = entry_of(bounds, ray);
    uint32_t signs = 0;
    for (int axis = 0; axis < 3; axis++) {
        place.low[axis] = place.high[axis] = ray->origin[axis] + t * ray->direction[axis];
        signs |= (uint32_t)(ray->direction[axis] < 0.0f) << axis;
    }
    uint32_t code = mr_bvh_code(&place, bounds);
    return (code >> 18) << 18 | signs << 15 | ((code >> 3) & 0x7fffu);
}

static bool key_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const many *m = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        m->keys[i] = key_of(&m->tree->bounds, &m->rays[i]);
    }
    return true;
}

static bool trace_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const many *m = argument;
    for (size_t k = begin; k < end; k++) {
        size_t i = m->order ? m->order[k] : k;
        if (m->order && k + LOOK_AHEAD < end) {
            __builtin_prefetch(&m->rays[m->order[k + LOOK_AHEAD]]);
        }
        if (m->hits) {
            mr_tree_closest(m->tree, &m->rays[i], &m->hits[i]);
        } else {
            m->met[i] = mr_tree_any(m->tree, &m->rays[i]);
        }
    }
    return mr_keep_going(m->context, error);
}

static bool trace_sorted(many *m, size_t count, mr_error *error)
{
    uint32_t *words = mr_buffer_take(m->context, 2 * count * sizeof *words, error);
    if (!words) {
        return false;
    }
    m->keys = words;
    m->order = words + count;
    bool good = mr_parallel_for(m->context, count, KEY_GRAIN, key_run, m, error) &&
                mr_sort_permutation(m->context, m->keys, count, 30, words + count, error) &&
                mr_parallel_for(m->context, count, GRAIN, trace_run, m, error);
    mr_buffer_release(m->context, words);
    return good;
}

static bool trace_all(many m, size_t count, mr_error *error)
{
    if (count < SORT_LEAST || mr_tree_bytes(m.tree) < TREE_LEAST) {
        return mr_parallel_for(m.context, count, GRAIN, trace_run, &m, error);
    }
    for (size_t begin = 0; begin < count; begin += SORT_MOST) {
        many part = m;
        part.rays += begin;
        part.hits = m.hits ? m.hits + begin : NULL;
        part.met = m.met ? m.met + begin : NULL;
        if (!trace_sorted(&part, count - begin < SORT_MOST ? count - begin : SORT_MOST, error)) {
            return false;
        }
    }
    return true;
}

bool mr_tree_closest_all(mr_context *context, const mr_tree *tree, const mr_ray *rays, size_t count,
                         mr_hit *hits, mr_error *error)
{
    return trace_all((many){ .context = context, .tree = tree, .rays = rays, .hits = hits }, count, error);
}

bool mr_tree_any_all(mr_context *context, const mr_tree *tree, const mr_ray *rays, size_t count, bool *met,
                     mr_error *error)
{
    return trace_all((many){ .context = context, .tree = tree, .rays = rays, .met = met }, count, error);
}
