// kernel/contour_core.c: the sheets of a cell, and where a vertex stands.

#include "kernel/contour_core.h"

#include <math.h>

#define EDGE(axis, low)                                                                                      \
    {                                                                                                        \
        low, low | 1 << axis, axis                                                                           \
    }
const mr_contour_edge mr_contour_edges[12] = {
    EDGE(0, 0), EDGE(0, 2), EDGE(0, 4), EDGE(0, 6), EDGE(1, 0), EDGE(1, 1),
    EDGE(1, 4), EDGE(1, 5), EDGE(2, 0), EDGE(2, 1), EDGE(2, 2), EDGE(2, 3),
};

const mr_contour_around mr_contour_arounds[3] = {
    { { 3, 2, 0, 1 }, { 3, 2, 0, 1 } },   // along x: back along y (1) and z (2)
    { { 3, 2, 0, 1 }, { 7, 5, 4, 6 } },   // along y: back along z (1) and x (2)
    { { 3, 2, 0, 1 }, { 11, 10, 8, 9 } }, // along z: back along x (1) and y (2)
};

unsigned mr_contour_crossed(unsigned corners)
{
    unsigned crossed = 0;
    for (unsigned e = 0; e < 12; e++) {
        const mr_contour_edge *edge = &mr_contour_edges[e];
        crossed |= ((corners >> edge->low ^ corners >> edge->high) & 1u) << e;
    }
    return crossed;
}

// The edges of each face, as bits.
static const uint16_t face_edges[6] = { 0x550, 0xaa0, 0x305, 0xc0a, 0x033, 0x0cc };

// The segments of a face: pairs of crossed edges, as bits. Where there are two, each holds the edges at one corner: an
// inside one, or, joined, an outside one.
static unsigned face_segments(unsigned corners, unsigned crossed, unsigned face, bool joined,
                              uint16_t segments[2])
{
    unsigned edges = crossed & face_edges[face];
    if (__builtin_popcount(edges) < 4) {
        segments[0] = (uint16_t)edges;
        return edges ? 1 : 0;
    }
    unsigned count = 0;
    for (unsigned k = 0; k < 8; k++) {
        bool on_face = (k >> (face >> 1) & 1) == (face & 1);
        if (!on_face || (corners >> k & 1) == joined) {
            continue;
        }
        unsigned at_corner = 0;
        for (unsigned e = 0; e < 12; e++) {
            at_corner |= (unsigned)(mr_contour_edges[e].low == k || mr_contour_edges[e].high == k) << e;
        }
        segments[count++] = (uint16_t)(edges & at_corner);
    }
    return count;
}

// Joins the runs of edges that share one with the segment.
static void join_runs(uint16_t runs[12], unsigned *count, unsigned segment)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < *count; i++) {
        if (runs[i] & segment) {
            segment |= runs[i];
        } else {
            runs[kept++] = runs[i];
        }
    }
    runs[kept++] = (uint16_t)segment;
    *count = kept;
}

// Runs of `edges` joined by the segments of the faces that are not in `border`.
static unsigned runs_of(unsigned corners, unsigned edges, unsigned border, unsigned joined, uint16_t runs[12])
{
    unsigned count = 0, crossed = mr_contour_crossed(corners);
    for (unsigned e = 0; e < 12; e++) {
        if (edges >> e & 1) {
            runs[count++] = (uint16_t)(1u << e);
        }
    }
    for (unsigned face = 0; face < 6; face++) {
        uint16_t segments[2];
        unsigned of_face =
            border >> face & 1 ? 0 : face_segments(corners, crossed, face, joined == face, segments);
        for (unsigned i = 0; i < of_face; i++) {
            if (segments[i] & edges) {
                join_runs(runs, &count, segments[i] & edges);
            }
        }
    }
    return count;
}

enum { NO_FACE = 6 };

static unsigned pinch_of(unsigned corners, const uint16_t *sheets, unsigned count)
{
    unsigned crossed = mr_contour_crossed(corners);
    for (unsigned face = 0; face < 6; face++) {
        uint16_t segments[2];
        if (face_segments(corners, crossed, face, false, segments) < 2) {
            continue;
        }
        for (unsigned i = 0; i < count; i++) {
            if ((sheets[i] & segments[0]) && (sheets[i] & segments[1])) {
                return face;
            }
        }
    }
    return NO_FACE;
}

mr_contour_cell mr_contour_sheets(unsigned corners, unsigned border, bool joined)
{
    mr_contour_cell cell = { .pinch = NO_FACE };
    uint16_t sheets[12], fans[12];
    unsigned dead = 0, crossed = mr_contour_crossed(corners);
    unsigned sheet_count = runs_of(corners, crossed, 0, NO_FACE, sheets);
    cell.pinch = (uint8_t)pinch_of(corners, sheets, sheet_count);
    unsigned join = joined ? cell.pinch : NO_FACE;
    if (join != NO_FACE) {
        sheet_count = runs_of(corners, crossed, 0, join, sheets);
    }
    for (unsigned face = 0; face < 6; face++) {
        dead |= border >> face & 1 ? face_edges[face] : 0u;
    }
    unsigned fan_count = runs_of(corners, crossed & ~dead, border, join, fans);
    // By their lowest edges.
    for (; cell.count < fan_count; cell.count++) {
        unsigned next = cell.count;
        for (unsigned i = next + 1; i < fan_count; i++) {
            next = (fans[i] & -fans[i]) < (fans[next] & -fans[next]) ? i : next;
        }
        uint16_t fan = fans[next];
        fans[next] = fans[cell.count];
        fans[cell.count] = fan;
        cell.quads[cell.count] = fan;
    }
    for (unsigned v = 0; v < cell.count; v++) {
        cell.placed[v] = cell.quads[v];
        for (unsigned s = 0; s < sheet_count; s++) {
            bool whole = (sheets[s] & cell.quads[v]) && (sheets[s] & ~dead) == cell.quads[v];
            cell.placed[v] = whole ? sheets[s] : cell.placed[v];
        }
    }
    return cell;
}

void mr_contour_table_make(mr_contour_table *table)
{
    for (unsigned corners = 0; corners < 256; corners++) {
        table->of[corners] = mr_contour_sheets(corners, 0, false);
    }
}

mr_contour_cell mr_contour_cell_at(const mr_contour_table *table, const mr_contour_grid *grid, size_t x,
                                   size_t y, size_t z)
{
    unsigned corners = mr_contour_corners(grid, x, y, z), border = mr_contour_border(grid, x, y, z);
    unsigned pinch = table->of[corners].pinch;
    bool joined = false;
    if (pinch != NO_FACE && !(border >> pinch & 1)) {
        size_t at[3] = { x, y, z };
        at[pinch >> 1] += pinch & 1 ? 1 : SIZE_MAX;
        joined = table->of[mr_contour_corners(grid, at[0], at[1], at[2])].pinch == (pinch ^ 1);
    }
    return border || joined ? mr_contour_sheets(corners, border, joined) : table->of[corners];
}

void mr_contour_crossing(const mr_contour_grid *grid, const size_t cell[3], unsigned edge, float point[3])
{
    const mr_contour_edge *e = &mr_contour_edges[edge];
    size_t at[3] = { cell[0] + (e->low & 1), cell[1] + (e->low >> 1 & 1), cell[2] + (e->low >> 2) };
    size_t steps[3] = { 1, grid->sx, grid->sx * grid->sy };
    const float *value = grid->values + mr_contour_sample(grid, at[0], at[1], at[2]);
    double low = (double)value[0], high = (double)value[steps[e->axis]];
    double part = low / (low - high);
    part = part >= 0 && part <= 1 ? part : 0.5;
    for (unsigned a = 0; a < 3; a++) {
        double place = a == e->axis ? (double)at[a] + part : (double)at[a];
        point[a] = (float)(grid->origin[a] + place * grid->h);
    }
}

void mr_contour_centre(const mr_contour_grid *grid, const size_t cell[3], float point[3])
{
    for (unsigned a = 0; a < 3; a++) {
        point[a] = (float)(grid->origin[a] + ((double)cell[a] + 0.5) * grid->h);
    }
}

// The planes of a vertex about the crossings' mean: the sums of n n' (xx xy xz yy yz zz) and of n (n . (p - m)).
typedef struct planes {
    double a[6];
    double b[3];
} planes;

static planes sum_planes(const float (*points)[3], const float (*normals)[3], size_t count,
                         const double mean[3])
{
    planes sum = { 0 };
    for (size_t i = 0; i < count; i++) {
        double n[3] = { (double)normals[i][0], (double)normals[i][1], (double)normals[i][2] };
        double off = n[0] * ((double)points[i][0] - mean[0]) + n[1] * ((double)points[i][1] - mean[1]) +
                     n[2] * ((double)points[i][2] - mean[2]);
        if (!(__builtin_fabs(off) < INFINITY)) {
            continue;
        }
        double products[6] = { n[0] * n[0], n[0] * n[1], n[0] * n[2], n[1] * n[1], n[1] * n[2], n[2] * n[2] };
        for (unsigned k = 0; k < 6; k++) {
            sum.a[k] += products[k];
        }
        for (unsigned k = 0; k < 3; k++) {
            sum.b[k] += n[k] * off;
        }
    }
    return sum;
}

// x of (A + pull I) x = b: A is the sum of squares, so with a pull the pivots are above 0.
static void solve_cholesky(const planes *p, double pull, double x[3])
{
    double l00 = __builtin_sqrt(p->a[0] + pull), l10 = p->a[1] / l00, l20 = p->a[2] / l00;
    double l11 = __builtin_sqrt(p->a[3] + pull - l10 * l10), l21 = (p->a[4] - l20 * l10) / l11;
    double l22 = __builtin_sqrt(p->a[5] + pull - l20 * l20 - l21 * l21);
    double y0 = p->b[0] / l00, y1 = (p->b[1] - l10 * y0) / l11, y2 = (p->b[2] - l20 * y0 - l21 * y1) / l22;
    x[2] = y2 / l22;
    x[1] = (y1 - l21 * x[2]) / l11;
    x[0] = (y0 - l10 * x[1] - l20 * x[2]) / l00;
}

// One rotation of Jacobi's that takes m[i][j] away.
static void rotate(double m[3][3], double v[3][3], unsigned i, unsigned j)
{
    if (m[i][j] == 0) {
        return;
    }
    double turn = (m[j][j] - m[i][i]) / (2 * m[i][j]);
    double t = (turn < 0 ? -1 : 1) / (__builtin_fabs(turn) + __builtin_sqrt(turn * turn + 1));
    double c = 1 / __builtin_sqrt(t * t + 1), s = t * c;
    for (unsigned k = 0; k < 3; k++) {
        double a = m[k][i], b = m[k][j];
        m[k][i] = c * a - s * b;
        m[k][j] = s * a + c * b;
    }
    for (unsigned k = 0; k < 3; k++) {
        double a = m[i][k], b = m[j][k], d = v[k][i], e = v[k][j];
        m[i][k] = c * a - s * b;
        m[j][k] = s * a + c * b;
        v[k][i] = c * d - s * e;
        v[k][j] = s * d + c * e;
    }
}

enum { SWEEPS = 8 }; // Jacobi's convergence is quadratic: three by three settles in four or five

static void solve_jacobi(const planes *p, double x[3])
{
    double m[3][3] = { { p->a[0], p->a[1], p->a[2] },
                       { p->a[1], p->a[3], p->a[4] },
                       { p->a[2], p->a[4], p->a[5] } };
    double v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        rotate(m, v, 0, 1);
        rotate(m, v, 0, 2);
        rotate(m, v, 1, 2);
    }
    double most = m[0][0] > m[1][1] ? m[0][0] : m[1][1];
    most = most > m[2][2] ? most : m[2][2];
    for (unsigned k = 0; k < 3; k++) {
        x[k] = 0;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (m[i][i] > 0.1 * most) {
            double along = (v[0][i] * p->b[0] + v[1][i] * p->b[1] + v[2][i] * p->b[2]) / m[i][i];
            for (unsigned k = 0; k < 3; k++) {
                x[k] += v[k][i] * along;
            }
        }
    }
}

void mr_contour_solve(const mr_contour_grid *grid, const size_t cell[3], const float (*points)[3],
                      const float (*normals)[3], size_t count, double lambda, float vertex[3])
{
    double mean[3] = { 0 }, x[3] = { 0 };
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            mean[k] += (double)points[i][k];
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        mean[k] /= (double)count;
    }
    if (normals) {
        planes sum = sum_planes(points, normals, count, mean);
        if (lambda > 0) {
            solve_cholesky(&sum, lambda * (double)count, x);
        } else {
            solve_jacobi(&sum, x);
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        // Normals far from unit length may leave nothing to solve.
        double at = __builtin_fabs(x[k]) < INFINITY ? mean[k] + x[k] : mean[k];
        if (normals) {
            double low = grid->origin[k] + ((double)cell[k] + 0.001) * grid->h;
            double high = grid->origin[k] + ((double)cell[k] + 0.999) * grid->h;
            at = at < low ? low : at > high ? high : at;
        }
        vertex[k] = (float)at;
    }
}

enum { SX, SY, NX, NY, NZ, OX, OY, OZ, H };

bool mr_contour_grid_of(const mr_kernel_call *call, const float *values, mr_contour_grid *grid,
                        mr_error *error)
{
    const mr_word *params = call->params;
    *grid = (mr_contour_grid){ .values = values,
                               .sx = params[SX].u32,
                               .sy = params[SY].u32,
                               .nx = params[NX].u32,
                               .ny = params[NY].u32,
                               .nz = params[NZ].u32,
                               .origin = { (double)params[OX].f32, (double)params[OY].f32,
                                           (double)params[OZ].f32 },
                               .h = (double)params[H].f32 };
    if (grid->nx >= grid->sx || grid->ny >= grid->sy) {
        return mr_kernel_refuse(error, call->kernel, NULL,
                                "%zu x %zu cells a layer do not fit %zu x %zu samples", grid->nx, grid->ny,
                                grid->sx, grid->sy);
    }
    return true;
}
