// kernel/boolean_state.h: what the files of the boolean share.

#ifndef MARRAM_KERNEL_BOOLEAN_STATE_H
#define MARRAM_KERNEL_BOOLEAN_STATE_H

#include "base/array.h"
#include "kernel/boolean.h"
#include "kernel/faces.h"

// One operand. Its points are numbered from `base` on among all points: A's, B's, then the crossing points.
typedef struct boolean_side {
    mr_triangles mesh;
    const char *name; // "A", "B"
    uint32_t base;
    mr_box box;
    // The half-edges by the lower of their points: spokes[first[p]] to spokes[first[p + 1] - 1] are those of p, the higher
    // point << 32 | half-edge, ascending. Half-edge 3 t + i goes from corner i of t to the next.
    uint32_t *first;
    uint64_t *spokes;
    float (*along)[3]; // the way each point is moved
    int32_t *winding;  // of the other operand about each point
    uint32_t *face_of; // 1 + the face in boolean.faces that a triangle became; 0: none crosses it
    int32_t constant;  // c of its multiplicity
} boolean_side;

// Where on its edge a crossing is, and what the winding number changes by there on the way from lo to hi: 1 going in, -1
// coming out.
typedef struct boolean_crossing {
    double t; // the fraction of the way from lo
    int32_t step;
} boolean_crossing;

// A point where an edge (lo, hi) of one operand goes through a triangle of the other.
typedef struct boolean_point {
    uint32_t side, lo, hi, triangle;
    boolean_crossing at;
} boolean_point;

// Where a triangle of A and one of B cross. Along it from point 0 to point 1 the outside of B is to the left in A's
// triangle, and the outside of A is to the right in B's.
typedef struct boolean_cut {
    uint32_t triangle[2];
    uint32_t point[2];
} boolean_cut;

// A directed edge of a face's boundary, gone along `count` times; below 0: the other way.
typedef struct boolean_edge {
    uint32_t from, to;
    int32_t count;
} boolean_edge;

// A face to be filled again: a triangle that something crosses, or whose edge was split.
typedef struct boolean_face {
    uint32_t side, triangle;
    size_t first, count; // its edges
} boolean_face;

typedef struct boolean_triangle {
    uint32_t corners[3], source;
} boolean_triangle;

typedef MR_ARRAY(boolean_edge) boolean_edges;
typedef MR_ARRAY(boolean_triangle) boolean_triangles;

typedef struct boolean {
    mr_context *context;
    mr_boolean_op op;
    int32_t slope; // s of the multiplicity
    boolean_side side[2];
    double tolerance;
    mr_arena arena; // what lives as long as this

    boolean_cut *cuts;
    size_t cut_count;
    boolean_point *points;
    size_t point_count;
    uint32_t *edge_points; // the crossing points by side, lo, hi and t
    uint32_t *edge_table;  // 1 + the place in edge_points where an edge's begin
    uint32_t edge_cells;

    uint32_t total;   // points of all kinds
    float *positions; // of the crossing points
    uint32_t *same;   // a forest: the point that stands for each
    MR_ARRAY(boolean_face) faces;
    boolean_edges edges;
    boolean_triangles made; // the faces, filled
} boolean;

// Zeroed where `zero`; let go with the arena.
void *boolean_take(boolean *b, size_t count, size_t size, bool zero, mr_error *error);

// Puts items in order: a merge sort, stable. `less` may not depend on where items are.
bool boolean_order(boolean *b, uint32_t *items, size_t count,
                   bool (*less)(const void *self, uint32_t, uint32_t), const void *self, mr_error *error);

static inline const uint32_t *boolean_corners(const boolean_side *side, uint32_t triangle)
{
    return side->mesh.triangles + 3 * (size_t)triangle;
}
static inline const float *boolean_at(const boolean_side *side, uint32_t point)
{
    return side->mesh.points + 3 * (size_t)point;
}
// By the number among all points.
const float *boolean_position(const boolean *b, uint32_t point);
// The point that stands for it.
uint32_t boolean_find(boolean *b, uint32_t point);
// The crossing points of an edge of a side, from its lower point to its higher.
const uint32_t *boolean_points_of(const boolean *b, uint32_t side, uint32_t lo, uint32_t hi, size_t *count);

// A triangle to be filled again, with no edges yet.
bool boolean_add_face(boolean *b, uint32_t side, uint32_t triangle, mr_error *error);
// Sums up edges between the same points, from the lower to the higher, and drops those that cancel.
void boolean_tidy(boolean_edge *edges, size_t *count);

static inline int32_t boolean_multiplicity(const boolean *b, const boolean_side *side, int32_t winding)
{
    return side->constant + b->slope * winding;
}

// The stages, in order.
bool boolean_check(boolean *b, uint32_t side, mr_error *error); // the operands, and their half-edges
bool boolean_cross(boolean *b, mr_error *error);                // cuts
bool boolean_number(boolean *b, const mr_cut_end *ends, const boolean_crossing *at,
                    mr_error *error);             // points
bool boolean_wind(boolean *b, mr_error *error);   // winding numbers
bool boolean_chain(boolean *b, mr_error *error);  // faces and their edges
bool boolean_settle(boolean *b, mr_error *error); // merged and split
bool boolean_fill(boolean *b, mr_error *error);   // triangles
bool boolean_close(boolean *b, mr_boolean_mesh *answer, mr_error *error);

// Signs of volumes of points that may be moved (boolean_sign.c).
typedef struct boolean_corner {
    const float *at;
    const float *along; // the way it is moved
    bool shifted;       // a point of B
} boolean_corner;

static inline boolean_corner boolean_corner_of(const boolean_side *side, uint32_t point)
{
    return (boolean_corner){ boolean_at(side, point), side->along[point],
                             side->base > 0 || side->name[0] == 'B' };
}

// mr_orient3d of the moved points: 1 or -1. 0 only where it is 0 however they are moved (a triangle of no area).
int boolean_volume(const boolean_corner p[4]);
// The same of x and y alone, c by the line from a to b.
int boolean_area(const boolean_corner p[3]);
// The fraction of the way from lo to hi, on the two sides of triangle p, at which it is crossed.
double boolean_fraction(const boolean_corner p[3], boolean_corner lo, boolean_corner hi);

#endif
