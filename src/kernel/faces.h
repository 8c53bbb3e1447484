// kernel/faces.h: the primitives of a geometry as a kernel binds them: points, the point of each vertex, and each
// primitive's run of vertices.
//
// What a column says may be wrong: a run is cut to the vertices there are (one that begins before 0 or has no length is
// empty), and a vertex whose point is out of range has none. Nothing is ever read out of bounds.

#ifndef MARRAM_KERNEL_FACES_H
#define MARRAM_KERNEL_FACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mr_faces {
    const float *points; // 3 words a point
    size_t point_count;
    const int32_t *vertex_points;
    size_t vertex_count;
    const int32_t *starts; // one a primitive
    const int32_t *counts; // one a primitive; NULL: the run goes on to the last vertex
    size_t count;          // primitives
} mr_faces;

typedef struct mr_face_run {
    size_t first, count; // vertices
} mr_face_run;

static inline mr_face_run mr_face_run_of(const mr_faces *faces, size_t primitive)
{
    int32_t first = faces->starts[primitive];
    if (first < 0 || (size_t)first >= faces->vertex_count) {
        return (mr_face_run){ 0, 0 };
    }
    size_t left = faces->vertex_count - (size_t)first;
    int32_t count = faces->counts ? faces->counts[primitive] : INT32_MAX;
    return (mr_face_run){ (size_t)first, count < 0 ? 0 : (size_t)count < left ? (size_t)count : left };
}

// The 3 words of a vertex's point; NULL: there is none.
static inline const float *mr_face_vertex(const mr_faces *faces, size_t vertex)
{
    int32_t point = faces->vertex_points[vertex];
    return point >= 0 && (size_t)point < faces->point_count ? faces->points + 3 * (size_t)point : NULL;
}

// Bounds. The empty box is upside down. A zero is +0 and a NaN is passed over, so that boxes fold to the same bits in any
// order.
typedef struct mr_box {
    float low[3], high[3];
} mr_box;

static inline mr_box mr_box_empty(void)
{
    const float far = __builtin_inff();
    return (mr_box){ { far, far, far }, { -far, -far, -far } };
}

static inline void mr_box_add_point(mr_box *box, const float *point)
{
    for (int axis = 0; axis < 3; axis++) {
        float x = point[axis] + 0.0f;
        box->low[axis] = x < box->low[axis] ? x : box->low[axis];
        box->high[axis] = x > box->high[axis] ? x : box->high[axis];
    }
}

static inline void mr_box_add(mr_box *box, const mr_box *other)
{
    for (int axis = 0; axis < 3; axis++) {
        box->low[axis] = other->low[axis] < box->low[axis] ? other->low[axis] : box->low[axis];
        box->high[axis] = other->high[axis] > box->high[axis] ? other->high[axis] : box->high[axis];
    }
}

static inline mr_box mr_face_box(const mr_faces *faces, size_t primitive)
{
    mr_box box = mr_box_empty();
    mr_face_run run = mr_face_run_of(faces, primitive);
    for (size_t i = run.first; i < run.first + run.count; i++) {
        const float *point = mr_face_vertex(faces, i);
        if (point) {
            mr_box_add_point(&box, point);
        }
    }
    return box;
}

#endif
