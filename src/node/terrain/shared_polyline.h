// node/terrain/shared_polyline.h: a curve as points joined by straight lines, and the nearest place on it.

#ifndef MARRAM_NODE_TERRAIN_SHARED_POLYLINE_H
#define MARRAM_NODE_TERRAIN_SHARED_POLYLINE_H

#include "node/terrain/shared_pass.h"

#define TERRAIN_CURVE_INPUTS                                                                                 \
    { .name = "curve",                                                                                       \
      .type = MR_GEOMETRY,                                                                                   \
      .doc = "The curve: a geometry's lines, or its points in order where it has no lines." },               \
    {                                                                                                        \
        .name = "points", .type = MR_LIST,                                                                   \
        .doc = "The curve as a list of (x, z) or (x, y, z) in metres, in place of a geometry."               \
    }

enum { TERRAIN_BLOCK = 32 };

// One straight piece in the plan. Distances are worked in f64.
typedef struct terrain_piece {
    double x, z, dx, dz;  // start, and from there to the end
    double over;          // 1 / length^2, 0 for a point
    double along, length; // arc length at the start, and of the piece
    double height, rise;  // y at the start, and to the end
} terrain_piece;

typedef struct terrain_polyline {
    mr_context *context;
    terrain_piece *pieces;
    size_t count;
    terrain_bounds *blocks; // of every TERRAIN_BLOCK pieces
    size_t block_count;
    double length;
    terrain_bounds bounds;
} terrain_polyline;

// Reads the inputs `curve` and `points`. Errors: neither or both given, fewer than 2 points, what is not finite, a list
// item that is not a place; heights asked for of plan points.
bool terrain_polyline_of(const mr_cook *cook, bool heights, terrain_polyline *polyline, mr_error *error);
void terrain_polyline_end(terrain_polyline *polyline);

typedef struct terrain_near {
    double distance; // in the plan; INFINITY when nothing is within the limit
    double along;    // arc length at the nearest place
    double height;   // y there
} terrain_near;

// The nearest place on the curve to each cell of a span; of equals the first. Farther than limit may be answered as
// INFINITY.
void terrain_polyline_near(const terrain_polyline *polyline, const terrain_span *span, double limit,
                           terrain_near *near);

#endif
