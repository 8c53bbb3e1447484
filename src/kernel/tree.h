// kernel/tree.h: the acceleration structure: boxes within boxes, eight to a node, over the triangles of a geometry's
// polygons or over boxes of anything else.
//
// A polygon is the fan of its first vertex: triangle `fan` is vertices 0, fan + 1, fan + 2 of the run. A triangle takes
// part when its three points are there and every coordinate is at most MR_TREE_FAR in magnitude (a NaN is not).
//
// Answers do not depend on the tree: whether a ray meets a triangle, and where, is worked out by one arithmetic
// (kernel/tree_triangle.h), the same in every instruction set, and the boxes on the way are widened by more than its
// roundings come to, so that no hit is passed by. Of hits at equal t the lower primitive wins, then the lower fan. The
// two methods below, any number of threads and a loop over all triangles answer the same bits.
//
// The triangle test is watertight (Woop, Benthin, Wald 2013), its edge functions worked in f64, where their signs are
// exact: a ray that meets a shared edge meets a triangle of it. Both sides of a triangle are met; one seen edge on, or
// of no area, is not.
//
// Sources: M. Ernst, G. Greiner 2008, Multi Bounding Volume Hierarchies; T. Karras 2012 (Morton order); I. Wald 2007,
// On fast Construction of SAH-based Bounding Volume Hierarchies; S. Woop, C. Benthin, I. Wald 2013, Watertight
// Ray/Triangle Intersection, JCGT 2(1).

#ifndef MARRAM_KERNEL_TREE_H
#define MARRAM_KERNEL_TREE_H

#include "base/context.h"
#include "kernel/faces.h"

#define MR_TREE_FAR 0x1p100f      // coordinates of points and origins past this count as no number
#define MR_TREE_LONGEST 0x1p64f   // the greatest component of a direction: at most this,
#define MR_TREE_SHORTEST 0x1p-64f // and at least this; other rays meet nothing
#define MR_TREE_NONE UINT32_C(0xffffffff)

// A row of the ray kernels' `rays`: what is at origin + t direction, low <= t <= high.
typedef struct mr_ray {
    float origin[3];
    float low;
    float direction[3]; // of any length
    float high;         // may be infinite
} mr_ray;

// u and v weigh the second and the third vertex of the triangle. A miss is t = -1, u = v = 0, primitive MR_TREE_NONE,
// fan 0.
typedef struct mr_hit {
    float t, u, v;
    uint32_t primitive, fan;
} mr_hit;

typedef enum mr_tree_method {
    MR_TREE_MORTON,  // quick to build: by Morton order, as the bvh kernels' table
    MR_TREE_SURFACE, // quicker to trace: by binned surface area
} mr_tree_method;

typedef struct mr_tree mr_tree;

// A tree over the triangles of faces, which are copied into it. Errors: MR_LIMIT (past 2^27 triangles; memory),
// MR_OUT_OF_MEMORY, MR_CANCELLED. Of no triangle it is a tree that nothing meets.
mr_tree *mr_tree_over_faces(mr_context *context, const mr_faces *faces, mr_tree_method method,
                            mr_error *error);
// A tree over boxes, for mr_tree_visit; those that are upside down or not finite are left out.
mr_tree *mr_tree_over_boxes(mr_context *context, const mr_box *boxes, size_t count, mr_tree_method method,
                            mr_error *error);
void mr_tree_destroy(mr_tree *tree); // NULL is allowed
mr_box mr_tree_bounds(const mr_tree *tree);
size_t mr_tree_triangles(const mr_tree *tree); // that take part
size_t mr_tree_bytes(const mr_tree *tree);

// One ray; safe from any thread. closest answers whether there is a hit.
bool mr_tree_closest(const mr_tree *tree, const mr_ray *ray, mr_hit *hit);
bool mr_tree_any(const mr_tree *tree, const mr_ray *ray);

// The crossings of the triangles the ray meets from its origin on, whatever its low and high: from front to back
// (against the normal) -1, from back to front +1, so that a closed surface about the origin comes to 1. A ray through an
// edge or a corner counts as one moved aside by less than any number, always to the same side: a closed surface is
// crossed as often inward as outward. *near says whether one of the crossings lies within `margin` (in t) of the origin,
// ahead or behind, where which side of the surface the origin is on is a matter of rounding.
int32_t mr_tree_crossings(const mr_tree *tree, const mr_ray *ray, float margin, bool *near);

// Rays in any number, on all threads. hits and met hold one a ray.
bool mr_tree_closest_all(mr_context *context, const mr_tree *tree, const mr_ray *rays, size_t count,
                         mr_hit *hits, mr_error *error);
bool mr_tree_any_all(mr_context *context, const mr_tree *tree, const mr_ray *rays, size_t count, bool *met,
                     mr_error *error);

// Calls visit for the boxes a ray may meet before `high`, the nearer first where that is known; visit may lower *high,
// and ends the walk by answering false. Boxes are widened as above, so a box that is barely missed may be visited. Where
// the answer is the least of what visit finds, the order does not show. Safe from any thread.
typedef bool (*mr_tree_visitor)(void *self, uint32_t item, float *high);
void mr_tree_visit(const mr_tree *tree, const mr_ray *ray, mr_tree_visitor visit, void *self);

#endif
