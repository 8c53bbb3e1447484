// kernel/contour_core.h: a grid of samples of a distance, its cells, and where the surface passes through them.
//
// Samples stand at origin + h (x, y, z), x fastest; a cell holds the eight samples from its own number on. A sample is
// inside where it is below 0: one that is exactly 0 (of either sign), or NaN, is outside. Places are worked in f64 from
// whole numbers and rounded once, so two grids whose origins differ by exactly whole cells agree to the bit where they
// hold the same samples.
//
// Corner k of a cell stands at (k & 1, k >> 1 & 1, k >> 2). Edge 4 a + j runs along axis a from the corner whose other
// two coordinates, the lower axis first, are the bits of j. Face 2 a + s is the one with coordinate a equal to s. An
// axis' two others are always (a + 1) % 3 and (a + 2) % 3 where turning matters.
//
// Sources: Ju, Losasso, Schaefer, Warren 2002 (dual contouring); Nielson 2004 (dual marching cubes: a vertex a sheet);
// Schaefer, Ju, Warren 2007 (manifold dual contouring); Wenger 2013, 3.3.5 (pinched faces and their cure).

#ifndef MARRAM_KERNEL_CONTOUR_CORE_H
#define MARRAM_KERNEL_CONTOUR_CORE_H

#include "kernel/kernel.h"

typedef struct mr_contour_grid {
    const float *values;
    size_t sx, sy;     // samples along x and y; above nx and ny
    size_t nx, ny, nz; // cells; there are nz + 1 layers of samples
    double origin[3];  // of sample (0, 0, 0)
    double h;          // the side of a cell
} mr_contour_grid;

enum { MR_CONTOUR_SINGLE, MR_CONTOUR_MANIFOLD };
#define MR_CONTOUR_TOPOLOGIES "single manifold"

typedef struct mr_contour_edge {
    uint8_t low, high; // its corners
    uint8_t axis;
} mr_contour_edge;
extern const mr_contour_edge mr_contour_edges[12];

static inline bool mr_contour_inside(float value)
{
    return value < 0.0f;
}

static inline size_t mr_contour_sample(const mr_contour_grid *grid, size_t x, size_t y, size_t z)
{
    return (z * grid->sy + y) * grid->sx + x;
}

// The corners of cell (x, y, z) that are inside, as bits.
static inline unsigned mr_contour_corners(const mr_contour_grid *grid, size_t x, size_t y, size_t z)
{
    const float *at = grid->values + mr_contour_sample(grid, x, y, z);
    unsigned corners = 0;
    for (size_t k = 0; k < 8; k++) {
        float value = at[((k >> 2) * grid->sy + (k >> 1 & 1)) * grid->sx + (k & 1)];
        corners |= (unsigned)mr_contour_inside(value) << k;
    }
    return corners;
}

// The faces of the cell that lie on the grid's border, as bits.
static inline unsigned mr_contour_border(const mr_contour_grid *grid, size_t x, size_t y, size_t z)
{
    return (x == 0 ? 1u : 0u) | (x + 1 == grid->nx ? 2u : 0u) | (y == 0 ? 4u : 0u) |
           (y + 1 == grid->ny ? 8u : 0u) | (z == 0 ? 16u : 0u) | (z + 1 == grid->nz ? 32u : 0u);
}

// Edges of a cell that cross the surface, as bits.
unsigned mr_contour_crossed(unsigned corners);

// The vertices a cell owns in the manifold topology. A sheet is a cycle of crossed edges over the cell's faces; on a
// face with two inside corners across from each other the inside is cut apart. Edges on the grid's border own no quad,
// so a sheet that leaves the grid has a vertex for every run of its other edges between two leavings: each vertex is
// the middle of one fan of quads. Where both segments of such a face belong to one sheet in both its cells (the face is
// pinched: an edge between the two vertices would have four quads), the inside is joined across it instead, in both. A
// cell has at most one face that can be pinched.
typedef struct mr_contour_cell {
    uint8_t count;     // 0 to 4
    uint8_t pinch;     // the face that is pinched if its other cell says so too, or 6
    uint16_t quads[4]; // the edges whose quads meet at each vertex, as bits; numbered by their lowest edges
    uint16_t
        placed[4]; // the edges whose crossings place it: its whole sheet's, or its own where the sheet is cut
} mr_contour_cell;

// border: faces on the grid's border, as bits; joined: whether the face that can be pinched is.
mr_contour_cell mr_contour_sheets(unsigned corners, unsigned border, bool joined);

// What cells inside the grid own, by their corners, not pinched.
typedef struct mr_contour_table {
    mr_contour_cell of[256];
} mr_contour_table;
void mr_contour_table_make(mr_contour_table *table);
// What cell (x, y, z) owns, its neighbours looked at.
mr_contour_cell mr_contour_cell_at(const mr_contour_table *table, const mr_contour_grid *grid, size_t x,
                                   size_t y, size_t z);

// Where the surface crosses edge `edge` of the cell: by linear interpolation of its two samples to 0; halfway where
// they do not say (an infinity against an infinity, NaN).
void mr_contour_crossing(const mr_contour_grid *grid, const size_t cell[3], unsigned edge, float point[3]);
void mr_contour_centre(const mr_contour_grid *grid, const size_t cell[3], float point[3]);

// The vertex of `count` crossings (1 to 12), all sums in their order in f64. Without normals their mean m. With them
// the x that is least in the sum of (n . (x - p))^2 + lambda |x - m|^2, held in the cell a thousandth of its side from
// every wall. By Cholesky; with lambda 0 by the normal matrix's eigenvectors, those below a tenth of the greatest
// eigenvalue left out, so that corners and ridges stand where the planes meet. A NaN normal, like a zero one, adds no
// plane.
void mr_contour_solve(const mr_contour_grid *grid, const size_t cell[3], const float (*points)[3],
                      const float (*normals)[3], size_t count, double lambda, float vertex[3]);

// The cell numbers around an edge that owns a quad, in the quad's turn about +axis, and which edge of each it is.
typedef struct mr_contour_around {
    uint8_t back[4]; // bits: 1 the cell lies one back along (axis + 1) % 3, 2 along (axis + 2) % 3
    uint8_t edge[4];
} mr_contour_around;
extern const mr_contour_around mr_contour_arounds[3];

// The params that state a grid, the first of a kernel's.
#define MR_CONTOUR_PARAMS                                                                                    \
    { .name = "sx", .type = MR_U32, .value = NAN, .low = 2, .high = 1 << 24, .doc = "Samples along x." },    \
        { .name = "sy",                                                                                      \
          .type = MR_U32,                                                                                    \
          .value = NAN,                                                                                      \
          .low = 2,                                                                                          \
          .high = 1 << 24,                                                                                   \
          .doc = "Samples along y." },                                                                       \
        { .name = "nx", .type = MR_U32, .value = NAN, .low = 1, .high = 1 << 24, .doc = "Cells along x." },  \
        { .name = "ny", .type = MR_U32, .value = NAN, .low = 1, .high = 1 << 24, .doc = "Cells along y." },  \
        { .name = "nz", .type = MR_U32, .value = NAN, .low = 1, .high = 1 << 24, .doc = "Cells along z." },  \
        { .name = "ox", .type = MR_F32, .value = 0, .doc = "Where sample (0, 0, 0) stands, x." },            \
        { .name = "oy", .type = MR_F32, .value = 0, .doc = "Where sample (0, 0, 0) stands, y." },            \
        { .name = "oz", .type = MR_F32, .value = 0, .doc = "Where sample (0, 0, 0) stands, z." },            \
    {                                                                                                        \
        .name = "h", .type = MR_F32, .value = NAN, .low = 1e-20, .high = 1e20, .doc = "A cell's side."       \
    }
enum { MR_CONTOUR_PARAM_COUNT = 9 };
// The count of a binding that holds every sample.
#define MR_CONTOUR_SAMPLES "sx * sy * nz + sx * sy"

// Reads them; values is the slot's data, NULL where the kernel has none. False where nx or ny do not fit sx and sy.
bool mr_contour_grid_of(const mr_kernel_call *call, const float *values, mr_contour_grid *grid,
                        mr_error *error);

static inline size_t mr_contour_cells(const mr_contour_grid *grid)
{
    return grid->nx * grid->ny * grid->nz;
}

static inline void mr_contour_place(const mr_contour_grid *grid, size_t number, size_t cell[3])
{
    cell[0] = number % grid->nx;
    cell[1] = number / grid->nx % grid->ny;
    cell[2] = number / grid->nx / grid->ny;
}

#endif
