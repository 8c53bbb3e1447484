// kernel/tree.c: what a tree is built over, and a ray through it.

#include "kernel/tree.h"

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/scan.h"
#include "kernel/tree_state.h"

enum { GRAIN = 4096 };

MR_ISA_TABLES(mr_tree_kernels, mr_tree_kernels);

bool mr_tree_item_corners(const mr_tree_items *items, uint32_t item, const float *corners[3])
{
    const mr_faces *faces = items->faces;
    uint32_t primitive = items->primitive ? items->primitive[item] : item;
    size_t fan = items->primitive ? item - items->first[primitive] : 0;
    mr_face_run run = mr_face_run_of(faces, primitive);
    if (run.count < fan + 3) {
        return false;
    }
    corners[0] = mr_face_vertex(faces, run.first);
    corners[1] = mr_face_vertex(faces, run.first + fan + 1);
    corners[2] = mr_face_vertex(faces, run.first + fan + 2);
    return corners[0] && corners[1] && corners[2] && mr_tree_point_counts(corners[0]) &&
           mr_tree_point_counts(corners[1]) && mr_tree_point_counts(corners[2]);
}

bool mr_tree_item_box(const mr_tree_items *items, uint32_t item, mr_box *box)
{
    if (!items->faces) {
        *box = items->boxes[item];
        return mr_tree_point_counts(box->low) && mr_tree_point_counts(box->high) &&
               box->low[0] <= box->high[0] && box->low[1] <= box->high[1] && box->low[2] <= box->high[2];
    }
    const float *corners[3];
    if (!mr_tree_item_corners(items, item, corners)) {
        return false;
    }
    *box = mr_box_empty();
    for (int corner = 0; corner < 3; corner++) {
        mr_box_add_point(box, corners[corner]);
    }
    return true;
}

// The numbering of fans.

typedef struct numbering {
    const mr_faces *faces;
    uint32_t *first, *primitive;
} numbering;

static bool count_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const numbering *n = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        size_t count = mr_face_run_of(n->faces, i).count;
        n->first[i] = count > 2 ? (uint32_t)count - 2 : 0;
    }
    return true;
}

static bool name_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const numbering *n = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        size_t count = mr_face_run_of(n->faces, i).count;
        for (size_t fan = 0; fan + 2 < count; fan++) {
            n->primitive[n->first[i] + fan] = (uint32_t)i;
        }
    }
    return true;
}

// Whether some primitive is more than a triangle.
static bool has_fans(const mr_faces *faces)
{
    for (size_t i = 0; i < faces->count; i++) {
        if (mr_face_run_of(faces, i).count > 3) {
            return true;
        }
    }
    return false;
}

static bool too_many(mr_error *error, uint64_t count)
{
    return mr_fail(error, MR_LIMIT, "a tree over %llu triangles or boxes is past the most there may be, %zu",
                   (unsigned long long)count, MR_TREE_MOST);
}

static bool number_fans(mr_tree *tree, mr_tree_items *items, mr_error *error)
{
    mr_context *context = tree->context;
    const mr_faces *faces = items->faces;
    uint64_t total;
    tree->first = mr_buffer_take(context, faces->count * sizeof *tree->first, error);
    numbering n = { faces, tree->first, NULL };
    if (!tree->first || !mr_parallel_for(context, faces->count, GRAIN, count_run, &n, error) ||
        !mr_scan_counts(context, tree->first, faces->count, tree->first, &total, error)) {
        return false;
    }
    if (total > MR_TREE_MOST) {
        return too_many(error, total);
    }
    tree->primitive = mr_buffer_take(context, (size_t)total * sizeof *tree->primitive, error);
    n.primitive = tree->primitive;
    items->primitive = tree->primitive;
    items->first = tree->first;
    items->count = (size_t)total;
    return tree->primitive && mr_parallel_for(context, faces->count, GRAIN, name_run, &n, error);
}

static mr_tree *build(mr_context *context, mr_tree_items *items, mr_tree_method method, mr_error *error)
{
    if (items->count > MR_TREE_MOST) {
        too_many(error, items->count);
        return NULL;
    }
    mr_tree *tree = mr_allocate_zeroed(context, sizeof *tree);
    if (!tree) {
        mr_fail_memory(error, sizeof *tree);
        return NULL;
    }
    tree->context = context;
    tree->kernels = MR_ISA_PICK(mr_tree_kernels, mr_context_isa(context));
    bool good = !items->faces || !has_fans(items->faces) || number_fans(tree, items, error);
    good = good && (method == MR_TREE_MORTON ? mr_tree_build_morton(tree, items, error)
                                             : mr_tree_build_surface(tree, items, error));
    if (!good) {
        mr_tree_destroy(tree);
        return NULL;
    }
    return tree;
}

mr_tree *mr_tree_over_faces(mr_context *context, const mr_faces *faces, mr_tree_method method,
                            mr_error *error)
{
    mr_tree_items items = { .faces = faces, .count = faces->count };
    return build(context, &items, method, error);
}

mr_tree *mr_tree_over_boxes(mr_context *context, const mr_box *boxes, size_t count, mr_tree_method method,
                            mr_error *error)
{
    mr_tree_items items = { .boxes = boxes, .count = count };
    return build(context, &items, method, error);
}

void mr_tree_destroy(mr_tree *tree)
{
    if (!tree) {
        return;
    }
    void *const buffers[] = { tree->nodes, tree->blocks, tree->primitive, tree->first };
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        if (buffers[i]) {
            mr_buffer_release(tree->context, buffers[i]);
        }
    }
    mr_free(tree->context, tree);
}

mr_box mr_tree_bounds(const mr_tree *tree)
{
    return tree->bounds;
}

size_t mr_tree_triangles(const mr_tree *tree)
{
    return tree->item_count;
}

size_t mr_tree_bytes(const mr_tree *tree)
{
    return sizeof *tree + tree->node_count * sizeof *tree->nodes + tree->block_count * sizeof *tree->blocks;
}

// Rays.

static bool make_ready(const mr_tree *tree, const mr_ray *ray, mr_tree_ray *ready)
{
    if (tree->item_count == 0 || !mr_tree_ray_turn(ready, ray)) {
        return false;
    }
    mr_tree_ray_aim(ready, ray, &tree->bounds);
    return true;
}

static void tell_hit(const mr_tree *tree, const mr_tree_ray *ray, mr_tree_hit found, mr_hit *hit)
{
    float corners[3][3], t;
    const mr_tree_block *block = &tree->blocks[found.block];
    for (int corner = 0; corner < 3; corner++) {
        for (int axis = 0; axis < 3; axis++) {
            corners[corner][axis] = block->corner[corner][axis][found.lane];
        }
    }
    mr_tree_meets(ray, corners[0], corners[1], corners[2], &t, &hit->u, &hit->v);
    hit->t = found.t;
    hit->primitive = tree->primitive ? tree->primitive[found.item] : found.item;
    hit->fan = tree->primitive ? found.item - tree->first[hit->primitive] : 0;
}

bool mr_tree_closest(const mr_tree *tree, const mr_ray *ray, mr_hit *hit)
{
    mr_tree_ray ready;
    *hit = (mr_hit){ -1.0f, 0.0f, 0.0f, MR_TREE_NONE, 0 };
    if (!make_ready(tree, ray, &ready)) {
        return false;
    }
    mr_tree_hit found = tree->kernels->closest(tree, &ready);
    if (found.item == MR_TREE_NONE) {
        return false;
    }
    tell_hit(tree, &ready, found, hit);
    return true;
}

bool mr_tree_any(const mr_tree *tree, const mr_ray *ray)
{
    mr_tree_ray ready;
    return make_ready(tree, ray, &ready) && tree->kernels->any(tree, &ready);
}

int32_t mr_tree_crossings(const mr_tree *tree, const mr_ray *ray, float margin, bool *near)
{
    mr_ray line = *ray;
    mr_tree_ray ready;
    line.low = -margin;
    line.high = __builtin_inff();
    *near = false;
    return make_ready(tree, &line, &ready) ? tree->kernels->crossings(tree, &ready, margin, near) : 0;
}

void mr_tree_visit(const mr_tree *tree, const mr_ray *ray, mr_tree_visitor visit, void *self)
{
    mr_tree_ray ready;
    if (make_ready(tree, ray, &ready)) {
        tree->kernels->visit(tree, &ready, visit, self);
    }
}
