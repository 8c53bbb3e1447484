// The contour kernels, run one after another as a graph runs them: against a plain dual contouring written here, and,
// for the manifold topology, by what makes a surface a manifold.

#include "support.h"

#include "kernel/contour_core.h"
#include "kernel/device.h"

#include <math.h>

typedef struct field {
    size_t sx, sy, nx, ny, nz;
    float origin[3], h;
    float *values;
} field;

static size_t samples_of(const field *f)
{
    return f->sx * f->sy * (f->nz + 1);
}

static field field_of(size_t nx, size_t ny, size_t nz, float h)
{
    field f = { .sx = nx + 1, .sy = ny + 1, .nx = nx, .ny = ny, .nz = nz, .h = h };
    f.values = calloc(samples_of(&f), sizeof(float));
    return f;
}

typedef double (*shape)(const double p[3]);

static void fill_shape(field *f, shape distance)
{
    for (size_t i = 0; i < samples_of(f); i++) {
        size_t at[3] = { i % f->sx, i / f->sx % f->sy, i / f->sx / f->sy };
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = (double)f->origin[k] + (double)at[k] * (double)f->h;
        }
        f->values[i] = (float)distance(p);
    }
}

typedef struct surface {
    size_t vertices, quads;
    float (*at)[3];
    int32_t (*quad)[4];
    int32_t *cell; // of each vertex
    int32_t *sheet;
    uint32_t *flag; // of each cell
} surface;

static void surface_free(surface *s)
{
    free(s->at);
    free(s->quad);
    free(s->cell);
    free(s->sheet);
    free(s->flag);
}

// Running one kernel.

typedef struct ask {
    const field *f;
    mr_context *context;
    const char *topology;
    double lambda; // below 0: not given
} ask;

static mr_kernel_result run_kernel(const ask *a, const char *name, mr_count domain, const mr_choice *choices,
                                   size_t choice_count, const mr_bind *bind, size_t bind_count)
{
    const field *f = a->f;
    mr_uniform uniforms[] = { { "sx", 1, { (double)f->sx } },        { "sy", 1, { (double)f->sy } },
                              { "nx", 1, { (double)f->nx } },        { "ny", 1, { (double)f->ny } },
                              { "nz", 1, { (double)f->nz } },        { "ox", 1, { (double)f->origin[0] } },
                              { "oy", 1, { (double)f->origin[1] } }, { "oz", 1, { (double)f->origin[2] } },
                              { "h", 1, { (double)f->h } },          { "lambda", 1, { a->lambda } } };
    bool solves = strcmp(name, "contour_solve") == 0 && a->lambda >= 0;
    mr_kernel_request request = { .kernel = mr_kernel_find(name),
                                  .domain = domain,
                                  .specialize = choices,
                                  .specialize_count = choice_count,
                                  .bind = bind,
                                  .bind_count = bind_count,
                                  .uniforms = strcmp(name, "contour_triangles") ? uniforms : NULL,
                                  .uniform_count =
                                      strcmp(name, "contour_triangles") ? (solves ? 10 : 9) : 0 };
    mr_kernel_result result;
    mr_error error;
    test_assert_ok(mr_kernel_run(a->context, &request, &result, &error), &error);
    return result;
}

static mr_column *column(const ask *a, mr_column_type type, const void *words, size_t count)
{
    mr_error error;
    return mr_column_publish(mr_column_from(a->context, type, words, count, &error));
}

static void *copied(const void *words, size_t size)
{
    void *copy = malloc(size + 1);
    memcpy(copy, words, size);
    return copy;
}

// What a graph does between crossings and solve: the normal of a crossing on an edge along an axis, and, where the shape
// is known better than its samples, its true place. NULL: none, for centroids.
typedef void (*hermite)(size_t axis, float p[3], float n[3]);

static surface contour(const ask *a, hermite normal)
{
    const field *f = a->f;
    const size_t cells = f->nx * f->ny * f->nz, edges = 3 * samples_of(f);
    const bool manifold = strcmp(a->topology, "manifold") == 0;
    mr_choice topology = { "TOPOLOGY", a->topology };
    mr_column *vals = column(a, MR_COLUMN_FLOAT, f->values, samples_of(f));
    surface s = { 0 };
    mr_kernel_result r = run_kernel(a, "contour_cells", mr_count_plain(cells), &topology, 1,
                                    &(mr_bind){ .name = "vals", .column = vals }, 1);
    s.flag = copied(mr_kernel_result_find(&r, "flag")->data, cells * 4);
    mr_kernel_result_release(&r);
    // What compact (single) and scan with expand (manifold) answer.
    int32_t *vertex_of = malloc(cells * 4);
    s.cell = malloc(cells * 16 + 4);
    s.sheet = malloc(cells * 16 + 4);
    for (size_t c = 0; c < cells; c++) {
        vertex_of[c] = manifold || s.flag[c] ? (int32_t)s.vertices : -1;
        for (uint32_t k = 0; k < s.flag[c]; k++) {
            s.cell[s.vertices] = (int32_t)c;
            s.sheet[s.vertices++] = (int32_t)k;
        }
    }
    const size_t slots = s.vertices + 3; // some past the count
    for (size_t i = s.vertices; i < slots && i < cells * 4; i++) {
        s.cell[i] = s.sheet[i] = -1;
    }
    int32_t *list = calloc(slots, 4), *sheets = calloc(slots, 4);
    memcpy(list, s.cell, s.vertices * 4);
    memcpy(sheets, s.sheet, s.vertices * 4);
    mr_column *cell = column(a, MR_COLUMN_INT, list, slots), *sheet = column(a, MR_COLUMN_INT, sheets, slots);
    uint32_t live_word = (uint32_t)s.vertices;
    mr_column *live = column(a, MR_COLUMN_UINT, &live_word, 1);
    mr_count domain;
    mr_error error;
    test_assert_ok(mr_count_live(live, slots, &domain, &error), &error);
    mr_bind crossing[] = { { .name = "vals", .column = vals },
                           { .name = "cells", .column = cell },
                           { .name = "sheet", .column = sheet } };
    r = run_kernel(a, "contour_crossings", domain, &topology, 1, crossing, manifold ? 3 : 2);
    mr_column *cross_p = mr_kernel_result_take(&r, "cross_p"),
              *cross_w = mr_kernel_result_take(&r, "cross_w");
    mr_kernel_result_release(&r);
    for (size_t i = s.vertices * 12; i < slots * 12; i++) {
        assert_true(cross_w->f32[i] == 0 && cross_p->f32[3 * i] == 0 && cross_p->f32[3 * i + 2] == 0);
    }
    float *normals = calloc(slots * 12, 12), *points = copied(cross_p->data, slots * 12 * 12);
    for (size_t i = 0; i < s.vertices * 12 && normal; i++) {
        normal(i % 12 / 4, points + 3 * i, normals + 3 * i);
    }
    mr_column_release(cross_p);
    cross_p = column(a, MR_COLUMN_VEC3, points, slots * 12);
    free(points);
    mr_column *cross_n = column(a, MR_COLUMN_VEC3, normals, slots * 12);
    mr_bind solving[] = { { .name = "cells", .column = cell },
                          { .name = "cross_p", .column = cross_p },
                          { .name = "cross_w", .column = cross_w },
                          { .name = "cross_n", .column = cross_n } };
    r = run_kernel(a, "contour_solve", domain, &(mr_choice){ "PLACEMENT", normal ? "qef" : "centroid" }, 1,
                   solving, normal ? 4 : 3);
    const mr_column *pos = mr_kernel_result_find(&r, "pos");
    s.at = copied(pos->data, s.vertices * 12);
    for (size_t i = s.vertices * 3; i < slots * 3; i++) {
        assert_true(pos->f32[i] == 0);
    }
    mr_kernel_result_release(&r);
    mr_column *first = column(a, MR_COLUMN_INT, vertex_of, cells);
    mr_bind quads[] = { { .name = "vals", .column = vals }, { .name = "vertex_of", .column = first } };
    r = run_kernel(a, "contour_quads", mr_count_plain(edges), &topology, 1, quads, 2);
    const mr_column *quad_flag = mr_kernel_result_find(&r, "quad_flag"),
                    *quad_v = mr_kernel_result_find(&r, "quad_v");
    s.quad = malloc(edges * 16);
    for (size_t e = 0; e < edges; e++) {
        assert_true(quad_flag->u32[e] <= 1);
        for (size_t k = 0; k < 4; k++) {
            assert_true(quad_flag->u32[e] ? (size_t)quad_v->i32[4 * e + k] < s.vertices
                                          : quad_v->i32[4 * e + k] == -1);
        }
        if (quad_flag->u32[e]) {
            memcpy(s.quad[s.quads++], quad_v->i32 + 4 * e, 16);
        }
    }
    mr_kernel_result_release(&r);
    mr_column *columns[] = { vals, cell, sheet, live, cross_p, cross_w, cross_n, first };
    for (size_t i = 0; i < 8; i++) {
        mr_column_release(columns[i]);
    }
    mr_count_release(&domain);
    free(vertex_of);
    free(list);
    free(sheets);
    free(normals);
    return s;
}

// The reference of the single topology: a vertex a cell at the mean of its crossings, quads edge by edge.

static bool inside_at(const field *f, size_t x, size_t y, size_t z)
{
    return f->values[(z * f->sy + y) * f->sx + x] < 0;
}

static void reference_mean(const field *f, const size_t cell[3], double mean[3])
{
    int count = 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (size_t a = 0; a < 8; a++) {
        for (size_t axis = 0; axis < 3; axis++) {
            size_t b = a | (size_t)1 << axis;
            if (a == b) {
                continue;
            }
            double va = (double)f->values[((cell[2] + (a >> 2)) * f->sy + cell[1] + (a >> 1 & 1)) * f->sx +
                                          cell[0] + (a & 1)];
            double vb = (double)f->values[((cell[2] + (b >> 2)) * f->sy + cell[1] + (b >> 1 & 1)) * f->sx +
                                          cell[0] + (b & 1)];
            if ((va < 0) == (vb < 0)) {
                continue;
            }
            double t = va / (va - vb);
            t = t >= 0 && t <= 1 ? t : 0.5;
            for (size_t k = 0; k < 3; k++) {
                mean[k] += (double)f->origin[k] +
                           ((double)cell[k] + (double)(a >> k & 1) + (k == axis ? t : 0)) * (double)f->h;
            }
            count++;
        }
    }
    for (size_t k = 0; k < 3; k++) {
        mean[k] /= count;
    }
}

static void assert_single(const field *f, const surface *s)
{
    size_t number = 0, quads = 0;
    for (size_t c = 0; c < f->nx * f->ny * f->nz; c++) {
        size_t cell[3] = { c % f->nx, c / f->nx % f->ny, c / f->nx / f->ny };
        int inside = 0;
        for (size_t k = 0; k < 8; k++) {
            inside += inside_at(f, cell[0] + (k & 1), cell[1] + (k >> 1 & 1), cell[2] + (k >> 2));
        }
        assert_int_equal(s->flag[c], inside > 0 && inside < 8);
        if (s->flag[c]) {
            double mean[3];
            reference_mean(f, cell, mean);
            for (int k = 0; k < 3; k++) {
                assert_true(fabs((double)s->at[number][k] - mean[k]) <=
                            1e-6 * (fabs(mean[k]) + (double)f->h));
            }
            number++;
        }
    }
    for (size_t i = 0; i < samples_of(f); i++) {
        size_t at[3] = { i % f->sx, i / f->sx % f->sy, i / f->sx / f->sy };
        for (int axis = 0; axis < 3; axis++) {
            const size_t cells[3] = { f->nx, f->ny, f->nz };
            int u = (axis + 1) % 3, w = (axis + 2) % 3;
            size_t next[3] = { at[0] + (axis == 0), at[1] + (axis == 1), at[2] + (axis == 2) };
            if (at[axis] >= cells[axis] || at[u] < 1 || at[u] >= cells[u] || at[w] < 1 || at[w] >= cells[w] ||
                inside_at(f, at[0], at[1], at[2]) == inside_at(f, next[0], next[1], next[2])) {
                continue;
            }
            // The same four cells, whatever corner is named first.
            size_t sum = 0, want = 0;
            for (size_t k = 0; k < 4; k++) {
                size_t cell[3] = { at[0], at[1], at[2] };
                cell[u] -= k & 1;
                cell[w] -= k >> 1;
                want += (cell[2] * f->ny + cell[1]) * f->nx + cell[0];
                sum += (size_t)s->cell[s->quad[quads][k]];
            }
            assert_int_equal(sum, want);
            quads++;
        }
    }
    assert_int_equal(s->quads, quads);
}

// What makes a manifold. Every directed edge of a quad stands once, and its opposite stands once too, but at the grid's
// border; the quads about a vertex are one fan; every vertex has some.

typedef struct half_edge {
    int32_t from, to;
    size_t quad;
} half_edge;

static int half_edge_order(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    return p->from != q->from ? (p->from < q->from ? -1 : 1) : p->to != q->to ? (p->to < q->to ? -1 : 1) : 0;
}

static size_t find_root(size_t *parent, size_t i)
{
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

static const half_edge *find_half(const half_edge *halves, size_t count, int32_t from, int32_t to)
{
    half_edge key = { from, to, 0 };
    return bsearch(&key, halves, count, sizeof key, half_edge_order);
}

static bool at_border(const field *f, int32_t cell)
{
    size_t c = (size_t)cell, x = c % f->nx, y = c / f->nx % f->ny, z = c / f->nx / f->ny;
    return x == 0 || y == 0 || z == 0 || x + 1 == f->nx || y + 1 == f->ny || z + 1 == f->nz;
}

static void assert_manifold(const field *f, const surface *s, bool closed)
{
    const size_t count = 4 * s->quads;
    half_edge *halves = malloc((count + 1) * sizeof *halves);
    size_t *parent = malloc((count + 1) * sizeof *parent), *fan = malloc((s->vertices + 1) * sizeof *fan);
    for (size_t i = 0; i < count; i++) {
        halves[i] = (half_edge){ s->quad[i / 4][i % 4], s->quad[i / 4][(i + 1) % 4], i / 4 };
        parent[i] = i;
    }
    qsort(halves, count, sizeof *halves, half_edge_order);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || half_edge_order(&halves[i - 1], &halves[i]) < 0);
        const half_edge *other = find_half(halves, count, halves[i].to, halves[i].from);
        assert_true(other || (!closed && at_border(f, s->cell[halves[i].from]) &&
                              at_border(f, s->cell[halves[i].to])));
    }
    // Corners of quads about a vertex, joined across the edges that leave it.
    for (size_t i = 0; i < count; i++) {
        int32_t from = s->quad[i / 4][i % 4], to = s->quad[i / 4][(i + 1) % 4];
        const half_edge *other = find_half(halves, count, to, from);
        for (size_t k = 0; other && k < 4; k++) {
            if (s->quad[other->quad][k] == from) {
                parent[find_root(parent, i)] = find_root(parent, 4 * other->quad + k);
            }
        }
    }
    memset(fan, 0xff, s->vertices * sizeof *fan);
    for (size_t i = 0; i < count; i++) {
        size_t *at = &fan[s->quad[i / 4][i % 4]], root = find_root(parent, i);
        assert_true(*at == SIZE_MAX || *at == root);
        *at = root;
    }
    for (size_t v = 0; v < s->vertices; v++) {
        assert_true(fan[v] != SIZE_MAX);
    }
    free(halves);
    free(parent);
    free(fan);
}

// Volume by the divergence theorem: positive where faces point out.
static double volume_of(const surface *s)
{
    double volume = 0;
    for (size_t q = 0; q < s->quads; q++) {
        for (int t = 0; t < 2; t++) {
            const float *a = s->at[s->quad[q][0]], *b = s->at[s->quad[q][1 + t]],
                        *c = s->at[s->quad[q][2 + t]];
            double bx = (double)b[0], by = (double)b[1], bz = (double)b[2];
            double cx = (double)c[0], cy = (double)c[1], cz = (double)c[2];
            volume += ((double)a[0] * (by * cz - bz * cy) + (double)a[1] * (bz * cx - bx * cz) +
                       (double)a[2] * (bx * cy - by * cx)) /
                      6;
        }
    }
    return volume;
}

static float random_sample(test_random *random)
{
    static const float odd[] = {
        0.0f, -0.0f, NAN, INFINITY, -INFINITY, 0x1p-149f, -0x1p-149f, 3e38f, -3e38f
    };
    return test_below(random, 20) ? (float)test_between(random, -1, 1) : odd[test_below(random, 9)];
}

static void single_is_a_vertex_a_cell_and_a_quad_an_edge(void **state)
{
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(250); n++) {
        field f = field_of(1 + test_below(&random, 6), 1 + test_below(&random, 6), 1 + test_below(&random, 6),
                           0.37f);
        if (n % 3 == 0) {
            // More samples than cells use.
            free(f.values);
            f.sx += test_below(&random, 3);
            f.sy += test_below(&random, 3);
            f.values = calloc(samples_of(&f), sizeof(float));
        }
        f.origin[0] = 1000.25f;
        f.origin[2] = -3;
        for (size_t i = 0; i < samples_of(&f); i++) {
            f.values[i] = random_sample(&random);
        }
        ask a = { &f, *state, "single", -1 };
        surface s = contour(&a, NULL);
        assert_single(&f, &s);
        surface_free(&s);
        free(f.values);
    }
}

static void manifold_is_one_on_any_signs(void **state)
{
    test_random random = { 2 };
    for (size_t n = 0; n < test_count(1500); n++) {
        field f =
            field_of(1 + test_below(&random, 7), 1 + test_below(&random, 7), 1 + test_below(&random, 7), 1);
        uint32_t share = 1 + test_below(&random, 9);
        for (size_t i = 0; i < samples_of(&f); i++) {
            f.values[i] = test_below(&random, 10) < share ? -1.0f : 1.0f;
        }
        bool closed = n % 2;
        for (size_t i = 0; i < samples_of(&f) && closed; i++) {
            size_t x = i % f.sx, y = i / f.sx % f.sy, z = i / f.sx / f.sy;
            bool rim = x == 0 || y == 0 || z == 0 || x == f.nx || y == f.ny || z == f.nz;
            f.values[i] = rim ? 1.0f : f.values[i];
        }
        ask a = { &f, *state, "manifold", -1 };
        surface s = contour(&a, NULL);
        assert_manifold(&f, &s, closed);
        surface_free(&s);
        free(f.values);
    }
}

// Sheets counted another way: regions of the cell's surface, whose number less one is the number of cycles between them.
static unsigned reference_sheets(unsigned corners)
{
    size_t parent[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    for (unsigned a = 0; a < 8; a++) {
        for (unsigned b = 0; b < 8; b++) {
            unsigned apart = a ^ b;
            bool edge = apart == 1 || apart == 2 || apart == 4;
            // Outside corners meet across a face; inside ones do not.
            bool across = (apart == 3 || apart == 5 || apart == 6) && !(corners >> a & 1);
            if ((edge || across) && (corners >> a & 1) == (corners >> b & 1)) {
                parent[find_root(parent, a)] = find_root(parent, b);
            }
        }
    }
    unsigned regions = 0;
    for (unsigned a = 0; a < 8; a++) {
        regions += parent[a] == a;
    }
    return regions - 1;
}

static void cells_have_as_many_vertices_as_sheets(void **state)
{
    unsigned pinched = 0;
    for (unsigned corners = 0; corners < 256; corners++) {
        mr_contour_cell cell = mr_contour_sheets(corners, 0, false);
        assert_int_equal(cell.count, reference_sheets(corners));
        pinched += cell.pinch < 6;
        for (int joined = 0; joined < 2; joined++) {
            for (unsigned border = 0; border < 64; border++) {
                mr_contour_cell at = mr_contour_sheets(corners, border, joined);
                assert_true(at.count <= 4 && at.pinch == cell.pinch);
                unsigned seen = 0;
                for (unsigned v = 0; v < at.count; v++) {
                    assert_true(at.quads[v] != 0 && (at.quads[v] & seen) == 0);
                    assert_true((at.placed[v] & at.quads[v]) == at.quads[v]);
                    seen |= at.quads[v];
                }
                assert_true((seen & ~mr_contour_crossed(corners)) == 0);
                assert_true(border || seen == mr_contour_crossed(corners));
            }
        }
    }
    assert_int_equal(pinched, 36); // two families of Wenger's, 12 and 24 turns of them
}

// Shapes.

static double shift; // of the cases that are tried aligned with the grid and off it

static double length3(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

static double two_spheres(const double p[3])
{
    double a = length3(p[0] - 4 - shift, p[1] - 4 - shift, p[2] - 4 - shift) - 2;
    double b = length3(p[0] - 8 - shift, p[1] - 4 - shift, p[2] - 4 - shift) - 2;
    return a < b ? a : b;
}

static double box(const double p[3], double x, double y, double z, double half)
{
    double q[3] = { fabs(p[0] - x) - half, fabs(p[1] - y) - half, fabs(p[2] - z) - half };
    double out = length3(fmax(q[0], 0), fmax(q[1], 0), fmax(q[2], 0));
    return out + fmin(fmax(q[0], fmax(q[1], q[2])), 0);
}

static double two_cubes(const double p[3])
{
    return fmin(box(p, 4 + shift, 4 + shift, 5, 1.5), box(p, 7 + shift, 7 + shift, 5, 1.5));
}

static double touching_sphere(const double p[3])
{
    return length3(p[0] - 6 - shift, p[1] - 6 - shift, p[2] - 6 - shift) - 6;
}

static double one_cube(const double p[3])
{
    return box(p, 6.13, 5.77, 6.41, 3.2);
}

static void cube_crossing(size_t axis, float p[3], float n[3])
{
    static const double middle[3] = { 6.13, 5.77, 6.41 };
    double side = (double)p[axis] < middle[axis] ? -1 : 1;
    p[axis] = (float)(middle[axis] + side * 3.2);
    n[0] = n[1] = n[2] = 0;
    n[axis] = (float)side;
}

static void touching_solids_contour_to_manifolds(void **state)
{
    static const struct {
        shape of;
        double volume;
    } cases[] = { { two_spheres, 2 * 33.51 }, { two_cubes, 2 * 27 }, { touching_sphere, 904.8 } };
    for (size_t i = 0; i < 3; i++) {
        for (int step = 0; step < 8; step++) {
            field f = field_of(12, 12, 12, 1);
            shift = step / 8.0;
            fill_shape(&f, cases[i].of);
            ask a = { &f, *state, "manifold", -1 };
            surface s = contour(&a, NULL);
            bool closed = i < 2 || step == 0; // the sphere as large as the grid leaves it when moved
            assert_manifold(&f, &s, closed);
            double share = volume_of(&s) / cases[i].volume;
            assert_true(!closed || (share > 0.45 && share < 1.1)); // a grid this coarse cuts much away
            surface_free(&s);
            free(f.values);
        }
    }
}

static void a_cube_keeps_its_corners_and_ridges(void **state)
{
    field f = field_of(12, 12, 12, 1);
    fill_shape(&f, one_cube);
    ask a = { &f, *state, "manifold", 0 };
    surface s = contour(&a, cube_crossing);
    int corners = 0;
    double worst = 0;
    for (size_t v = 0; v < s.vertices; v++) {
        double p[3] = { (double)s.at[v][0], (double)s.at[v][1], (double)s.at[v][2] };
        worst = fmax(worst, fabs(one_cube(p)));
        corners += fabs(fabs(p[0] - 6.13) - 3.2) < 1e-5 && fabs(fabs(p[1] - 5.77) - 3.2) < 1e-5 &&
                   fabs(fabs(p[2] - 6.41) - 3.2) < 1e-5;
    }
    assert_int_equal(corners, 8);
    assert_true(worst < 1e-5);
    assert_true(fabs(volume_of(&s) - 6.4 * 6.4 * 6.4) < 1e-3);
    surface_free(&s);
    // The default pull keeps them close.
    a.lambda = -1;
    s = contour(&a, cube_crossing);
    assert_true(fabs(volume_of(&s) - 6.4 * 6.4 * 6.4) < 2);
    for (size_t v = 0; v < s.vertices; v++) {
        double p[3] = { (double)s.at[v][0], (double)s.at[v][1], (double)s.at[v][2] };
        assert_true(fabs(one_cube(p)) < 0.05);
    }
    surface_free(&s);
    free(f.values);
}

static void wild_normal(size_t axis, float p[3], float n[3])
{
    (void)axis;
    uint32_t word;
    memcpy(&word, &p[0], 4);
    uint32_t kind = (word * 2654435761u) >> 29;
    n[0] = kind == 0 ? NAN : kind == 1 ? 0.0f : kind == 2 ? 3e38f : 0.6f;
    n[1] = kind == 1 ? 0.0f : kind == 3 ? INFINITY : -0.8f;
    n[2] = kind == 1 ? 0.0f : 0.1f;
}

static void vertices_stay_in_their_cells_whatever_the_normals(void **state)
{
    test_random random = { 3 };
    for (size_t n = 0; n < test_count(60); n++) {
        field f = field_of(5, 4, 6, 0.5f);
        for (size_t i = 0; i < samples_of(&f); i++) {
            f.values[i] = random_sample(&random);
        }
        ask a = { &f, *state, n % 2 ? "single" : "manifold", n % 3 ? -1 : 0 };
        surface s = contour(&a, wild_normal);
        for (size_t v = 0; v < s.vertices; v++) {
            size_t c = (size_t)s.cell[v], cell[3] = { c % f.nx, c / f.nx % f.ny, c / f.nx / f.ny };
            for (int k = 0; k < 3; k++) {
                float low = (float)cell[k] * 0.5f;
                assert_true(s.at[v][k] > low && s.at[v][k] < low + 0.5f);
            }
        }
        surface_free(&s);
        free(f.values);
    }
}

static double pebbles(const double p[3])
{
    return sin(1.3 * p[0]) * cos(1.7 * p[1]) + sin(0.9 * p[2] + p[0]) - 0.2 + 0.3 * sin(5 * p[1] + 4 * p[0]);
}

static void grids_that_share_samples_share_vertices_to_the_bit(void **state)
{
    field f[2];
    surface s[2];
    static const char *const topologies[] = { "single", "manifold" };
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 2; k++) {
            f[k] = field_of(10, 9, 8, 0.375f);
            f[k].origin[0] = k ? 2.5f + 6 * 0.375f : 2.5f;
            fill_shape(&f[k], pebbles);
            ask a = { &f[k], *state, topologies[t], -1 };
            s[k] = contour(&a, NULL);
        }
        // Cells x = 6 .. 9 of the first are 0 .. 3 of the second; those at a border know less of their sheets.
        size_t shared = 0, first = t ? 1 : 0, last = t ? 3 : 4;
        for (size_t v = 0; v < s[0].vertices; v++) {
            size_t c = (size_t)s[0].cell[v], x = c % 10;
            if (x < 6 + first || x >= 6 + last) {
                continue;
            }
            bool found = false;
            for (size_t w = 0; w < s[1].vertices && !found; w++) {
                found = (size_t)s[1].cell[w] == c - 6 && s[0].sheet[v] == s[1].sheet[w] &&
                        memcmp(s[0].at[v], s[1].at[w], 12) == 0;
            }
            assert_true(found);
            shared++;
        }
        assert_true(shared > 50);
        for (int k = 0; k < 2; k++) {
            surface_free(&s[k]);
            free(f[k].values);
        }
    }
}

static void quads_become_two_triangles(void **state)
{
    field f = { 0 };
    ask a = { &f, *state, NULL, -1 };
    static const int32_t quads[3][4] = { { 5, 6, 7, 8 }, { -1, -1, -1, -1 }, { 1, 2, 3, 4 } };
    static const int32_t edges[4] = { 2, 0, -1, 3 };
    static const int32_t want[24] = { 1,  2,  3,  1,  3,  4,  5,  6,  7,  5,  7,  8,
                                      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };
    mr_column *quad_v = column(&a, MR_COLUMN_INT4, quads, 3), *list = column(&a, MR_COLUMN_INT, edges, 4);
    mr_bind bind[] = { { .name = "edges", .column = list }, { .name = "quad_v", .column = quad_v } };
    mr_kernel_result r = run_kernel(&a, "contour_triangles", mr_count_plain(4), NULL, 0, bind, 2);
    assert_memory_equal(mr_kernel_result_find(&r, "pt")->data, want, sizeof want);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(mr_kernel_result_find(&r, "vstart")->i32[i], 3 * i);
    }
    mr_kernel_result_release(&r);
    mr_column_release(quad_v);
    mr_column_release(list);
}

static void threads_change_no_bit(void **state)
{
    field f = field_of(40, 33, 20, 0.25f);
    test_random random = { 4 };
    fill_shape(&f, pebbles);
    for (size_t i = 0; i < 500; i++) {
        f.values[test_below(&random, (uint32_t)samples_of(&f))] = random_sample(&random);
    }
    surface s[2];
    for (int k = 0; k < 2; k++) {
        ask a = { &f, test_context_of(k ? 7 : 1, 0), "manifold", -1 };
        s[k] = contour(&a, cube_crossing);
        test_context_end(a.context);
    }
    assert_int_equal(s[0].vertices, s[1].vertices);
    assert_int_equal(s[0].quads, s[1].quads);
    assert_memory_equal(s[0].at, s[1].at, s[0].vertices * 12);
    assert_memory_equal(s[0].quad, s[1].quad, s[0].quads * 16);
    surface_free(&s[0]);
    surface_free(&s[1]);
    free(f.values);
}

static void grids_that_do_not_fit_are_refused_by_name(void **state)
{
    mr_error error;
    float values[27] = { 0 };
    mr_column *vals = mr_column_from(*state, MR_COLUMN_FLOAT, values, 27, &error);
    mr_bind bind = { .name = "vals", .column = vals };
    static const struct {
        double n[5], h;
        size_t domain;
        const char *says;
    } cases[] = {
        { { 3, 3, 2, 2, 2 }, 1, 7, "kernel contour_cells: the grid has 8 cells; the domain is 7" },
        { { 3, 3, 3, 2, 2 }, 1, 12, "kernel contour_cells: 3 x 2 cells a layer do not fit 3 x 3 samples" },
        { { 3, 3, 2, 2, 3 }, 1, 12, "kernel contour_cells: binding vals holds 27 elements" },
        { { 3, 3, 0, 2, 2 }, 1, 0, "nx" },
        { { 3, 3, 2, 2, 2 }, 0, 8, "h" },
        { { 16777216, 16777216, 2, 2, 16777216 }, 1, 8, "contour_cells" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const char *const names[] = { "sx", "sy", "nx", "ny", "nz" };
        mr_uniform uniforms[6] = { [5] = { "h", 1, { cases[i].h } } };
        for (size_t k = 0; k < 5; k++) {
            uniforms[k] = (mr_uniform){ names[k], 1, { cases[i].n[k] } };
        }
        mr_kernel_request request = { .kernel = mr_kernel_find("contour_cells"),
                                      .domain = mr_count_plain(cases[i].domain),
                                      .bind = &bind,
                                      .bind_count = 1,
                                      .uniforms = uniforms,
                                      .uniform_count = 6 };
        mr_kernel_result result;
        assert_false(mr_kernel_run(*state, &request, &result, &error));
        assert_text_contains(error.message, cases[i].says);
    }
    mr_column_release(vals);
}

int main(void)
{
#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, test_setup, test_teardown)
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(single_is_a_vertex_a_cell_and_a_quad_an_edge),
        WITH_CONTEXT(manifold_is_one_on_any_signs),
        cmocka_unit_test(cells_have_as_many_vertices_as_sheets),
        WITH_CONTEXT(touching_solids_contour_to_manifolds),
        WITH_CONTEXT(a_cube_keeps_its_corners_and_ridges),
        WITH_CONTEXT(vertices_stay_in_their_cells_whatever_the_normals),
        WITH_CONTEXT(grids_that_share_samples_share_vertices_to_the_bit),
        WITH_CONTEXT(quads_become_two_triangles),
        cmocka_unit_test(threads_change_no_bit),
        WITH_CONTEXT(grids_that_do_not_fit_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
