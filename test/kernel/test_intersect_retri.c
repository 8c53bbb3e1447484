// intersect_retri: the pieces of every triangle tile it, hold every cut, and fit each other across the mesh; and a boolean
// put together from them piece by piece, by what is just outside and inside each, is the boolean.

#include "intersect_chain.h"
#include "solids.h"

#include "kernel/boolean.h"

static mesh mesh_of_solid(const solid *s)
{
    return mesh_of(s->points, s->point_count, s->triangles, s->triangle_count);
}

typedef struct pieces {
    size_t count;
    uint32_t *words; // four each: corners, triangle
    const mesh *m;
    const chain *c;
} pieces;

static const float *place_of(const pieces *p, uint32_t name)
{
    return name < p->m->point_count ? p->m->points + 3 * (size_t)name
                                    : p->c->ends[name - p->m->point_count].position;
}

// The entries by the triangles of a side: the first and the count of each, and the order.
static void runs_of(const mesh *m, const chain *c, int side, uint32_t **runs, uint32_t **order)
{
    size_t n = m->triangle_count, at = 0;
    *runs = calloc(2 * n + 1, sizeof **runs);
    *order = calloc(c->entries + 1, sizeof **order);
    for (uint32_t t = 0; t < n; t++) {
        (*runs)[2 * t] = (uint32_t)at;
        for (uint32_t e = 0; e < c->entries; e++) {
            if (c->pairs[3 * e + (uint32_t)side] == t) {
                (*order)[at++] = e;
            }
        }
        (*runs)[2 * t + 1] = (uint32_t)at - (*runs)[2 * t];
    }
}

static void begin_retri(kernel_run *run, mr_context *context, const mesh *m, const chain *c, int side,
                        long live, const uint32_t *runs, const uint32_t *order)
{
    kernel_begin(run, context, "intersect_retri", m->triangle_count, live);
    bind_points(run, "pts", m);
    bind_words(run, "tri", m->triangles, 3 * m->triangle_count);
    bind_words(run, "cut", c->ends, 16 * c->entries);
    bind_words(run, "runs", runs, 2 * m->triangle_count);
    bind_words(run, "order", order, c->entries);
    kernel_param(run, "npts", (double)m->point_count);
    kernel_param(run, "entries", (double)c->entries);
    kernel_param(run, "side", side);
}

static pieces retri(mr_context *context, const mesh *m, const chain *c, int side, long live)
{
    uint32_t *runs, *order, *off = malloc((m->triangle_count + 1) * sizeof *off);
    pieces p = { .m = m, .c = c };
    kernel_run run;
    size_t room = 4 + 64 * m->triangle_count + 40 * c->entries;
    runs_of(m, c, side, &runs, &order);
    begin_retri(&run, context, m, c, side, live, runs, order);
    kernel_choose(&run, "STAGE", "count");
    kernel_go_ok(&run);
    uint32_t *counts = words_out(&run, "cnt", m->triangle_count);
    kernel_end(&run);
    for (size_t t = 0; t < m->triangle_count; t++) {
        off[t] = (uint32_t)p.count;
        p.count += counts[t];
        assert_true(live < 0 || t < (size_t)live ? counts[t] > 0 : counts[t] == 0);
    }
    begin_retri(&run, context, m, c, side, live, runs, order);
    kernel_choose(&run, "STAGE", "write");
    bind_words(&run, "off", off, m->triangle_count);
    kernel_param(&run, "total", (double)p.count);
    kernel_go_ok(&run);
    uint32_t *out = words_out(&run, "out", room + 4 * p.count);
    kernel_end(&run);
    assert_int_equal(out[0], 0);
    p.words = malloc(4 * (p.count + 1) * sizeof *p.words);
    memcpy(p.words, out + 4, 4 * p.count * sizeof *p.words);
    free(out);
    free(counts);
    free(runs);
    free(order);
    free(off);
    return p;
}

static double normal_of(const float *a, const float *b, const float *c, double n[3])
{
    double e[2][3], square = 0;
    for (int k = 0; k < 3; k++) {
        e[0][k] = (double)b[k] - (double)a[k];
        e[1][k] = (double)c[k] - (double)a[k];
    }
    for (int k = 0; k < 3; k++) {
        n[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
        square += n[k] * n[k];
    }
    return sqrt(square);
}

static bool same_place(const float *a, const float *b)
{
    return fabsf(a[0] - b[0]) < 4e-6f && fabsf(a[1] - b[1]) < 4e-6f && fabsf(a[2] - b[2]) < 4e-6f;
}

static double off_segment(const float *p, const float *a, const float *b)
{
    double along = 0, length = 0, away = 0;
    for (int k = 0; k < 3; k++) {
        double d = (double)b[k] - (double)a[k], v = (double)p[k] - (double)a[k];
        along += d * v;
        length += d * d;
    }
    double t = length > 0 ? along / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int k = 0; k < 3; k++) {
        double d = (double)a[k] + t * ((double)b[k] - (double)a[k]) - (double)p[k];
        away += d * d;
    }
    return sqrt(away);
}

// The pieces of one triangle: first to last - 1.
static void check_triangle(const pieces *p, uint32_t t, size_t first, size_t last)
{
    const float *corner[3];
    double whole[3], sum = 0, n[3];
    for (int i = 0; i < 3; i++) {
        corner[i] = p->m->points + 3 * (size_t)p->m->triangles[3 * t + (uint32_t)i];
    }
    double area = normal_of(corner[0], corner[1], corner[2], whole);
    for (size_t i = first; i < last; i++) {
        const uint32_t *w = p->words + 4 * i;
        assert_int_equal(w[3], t);
        double own = normal_of(place_of(p, w[0]), place_of(p, w[1]), place_of(p, w[2]), n);
        double dot = n[0] * whole[0] + n[1] * whole[1] + n[2] * whole[2];
        assert_true(last - first == 1 || dot > -1e-5 * area * own || own < 1e-5);
        sum += dot < 0 ? -own : own;
        for (int k = 0; k < 3; k++) {
            uint32_t from = w[k], to = w[(k + 1) % 3];
            size_t back = 0, again = 0;
            for (size_t j = 3 * first; j < 3 * last; j++) {
                uint32_t f = p->words[4 * (j / 3) + j % 3], g = p->words[4 * (j / 3) + (j + 1) % 3];
                back += f == to && g == from;
                again += f == from && g == to;
            }
            assert_int_equal(again, 1);
            bool on_side = false;
            for (int s = 0; s < 3; s++) {
                on_side = on_side || (off_segment(place_of(p, from), corner[s], corner[(s + 1) % 3]) < 4e-6 &&
                                      off_segment(place_of(p, to), corner[s], corner[(s + 1) % 3]) < 4e-6);
            }
            assert_true(back == 1 || (back == 0 && on_side));
        }
    }
    assert_true(fabs(sum - area) <= 2e-5 * (1 + area));
}

// Whether a cut's segment is a run of edges: from its one end along edges on it to the other.
static bool is_held(const pieces *p, size_t first, size_t last, const float *a, const float *b)
{
    const float *at = a;
    for (int steps = 0; steps < 1000 && !same_place(at, b); steps++) {
        const float *next = NULL;
        double left = off_segment(b, at, at), best = left;
        for (size_t j = 3 * first; j < 3 * last; j++) {
            const float *f = place_of(p, p->words[4 * (j / 3) + j % 3]);
            const float *g = place_of(p, p->words[4 * (j / 3) + (j + 1) % 3]);
            for (int turned = 0; turned < 2; turned++) {
                const float *x = turned ? g : f, *y = turned ? f : g;
                double rest = off_segment(b, y, y);
                if (same_place(x, at) && off_segment(y, a, b) < 4e-6 && rest < best - 1e-7) {
                    best = rest;
                    next = y;
                }
            }
        }
        if (!next) {
            return false;
        }
        at = next;
    }
    return true;
}

static void check_pieces(const pieces *p, int side)
{
    size_t at = 0;
    for (uint32_t t = 0; t < p->m->triangle_count; t++) {
        size_t first = at;
        while (at < p->count && p->words[4 * at + 3] == t) {
            at++;
        }
        check_triangle(p, t, first, at);
        for (size_t e = 0; e < p->c->entries; e++) {
            const mr_cut_end *ends = p->c->ends + 2 * e;
            if (p->c->pairs[3 * e + (size_t)side] == t &&
                (ends[0].kind >> MR_END_CUTS_SHIFT & (1u << side))) {
                assert_true(is_held(p, first, at, ends[0].position, ends[1].position));
            }
        }
    }
    assert_int_equal(at, p->count);
}

static solid random_solid(test_random *random, uint32_t kind)
{
    switch (kind % 3) {
    case 0: {
        double x = (double)test_below(random, 4), y = (double)test_below(random, 4),
               z = (double)test_below(random, 4);
        return solid_box(x, y, z, x + 1 + test_below(random, 3), y + 1 + test_below(random, 3),
                         z + 1 + test_below(random, 3));
    }
    case 1:
        return solid_sphere(1, 3 + test_below(random, 3), 3 + test_below(random, 5));
    default:
        return solid_torus(1, 0.4, 3 + test_below(random, 3), 3 + test_below(random, 5));
    }
}

static void pieces_tile_their_triangles_and_hold_the_cuts(void **state)
{
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(900); n++) {
        solid sa = random_solid(&random, (uint32_t)n), sb = random_solid(&random, (uint32_t)n);
        if (n % 3) {
            solid_turn(&sb, (int)test_below(&random, 3), test_between(&random, 0, 3));
            solid_move(&sb, test_between(&random, -1, 1), test_between(&random, -1, 1), 0.2);
        }
        mesh a = mesh_of_solid(&sa), b = mesh_of_solid(&sb);
        chain c = chain_run(*state, &a, &b);
        pieces pa = retri(*state, &a, &c, 0, -1), pb = retri(*state, &b, &c, 1, -1);
        check_pieces(&pa, 0);
        check_pieces(&pb, 1);
        free(pa.words);
        free(pb.words);
        chain_free(&c);
        mesh_free(&a);
        mesh_free(&b);
        solid_free(&sa);
        solid_free(&sb);
    }
}

// A mesh with itself, and with itself moved by some steps of rounding.
static void near_coincident_meshes_are_tiled(void **state)
{
    test_random random = { 2 };
    for (size_t n = 0; n < test_count(200); n++) {
        solid sa = random_solid(&random, (uint32_t)n), sb = solid_copy(&sa);
        static const double moves[] = { 0, 2e-7, 1e-6, 1e-5, 0.25 };
        solid_move(&sb, moves[test_below(&random, 5)], 0, moves[test_below(&random, 5)]);
        mesh a = mesh_of_solid(&sa), b = mesh_of_solid(&sb);
        chain c = chain_run(*state, &a, &b);
        pieces pa = retri(*state, &a, &c, 0, -1), pb = retri(*state, &b, &c, 1, -1);
        for (int side = 0; side < 2; side++) {
            const pieces *p = side ? &pb : &pa;
            size_t at = 0;
            for (uint32_t t = 0; t < p->m->triangle_count; t++) {
                size_t first = at;
                while (at < p->count && p->words[4 * at + 3] == t) {
                    at++;
                }
                check_triangle(p, t, first, at);
            }
        }
        free(pa.words);
        free(pb.words);
        chain_free(&c);
        mesh_free(&a);
        mesh_free(&b);
        solid_free(&sa);
        solid_free(&sb);
    }
}

// Pieces of closed meshes in general position are closed again: each edge, by its points' first slots, there and back.
static void pieces_fit_across_the_mesh(void **state)
{
    test_random random = { 3 };
    for (size_t n = 0; n < test_count(200); n++) {
        solid sa = random_solid(&random, 1 + (uint32_t)n % 2),
              sb = random_solid(&random, 1 + (uint32_t)n / 2 % 2);
        solid_turn(&sb, (int)test_below(&random, 3), test_between(&random, 0, 3));
        solid_move(&sb, test_between(&random, -1, 1), test_between(&random, -1, 1), 0.2);
        mesh a = mesh_of_solid(&sa), b = mesh_of_solid(&sb);
        chain c = chain_run(*state, &a, &b);
        pieces p = retri(*state, &a, &c, 0, -1);
        solid s = solid_new(a.point_count + 2 * c.entries, p.count);
        for (size_t i = 0; i < 3 * p.count; i++) {
            uint32_t name = p.words[4 * (i / 3) + i % 3], base = (uint32_t)a.point_count;
            s.triangles[i] = name < base ? name : base + c.rep[name - base];
        }
        const char *fault = solid_fault(&s);
        assert_true(!fault || strcmp(fault, "a point of no triangle") == 0);
        solid_free(&s);
        free(p.words);
        chain_free(&c);
        mesh_free(&a);
        mesh_free(&b);
        solid_free(&sa);
        solid_free(&sb);
    }
}

static bool is_inside(const mesh *s, const double p[3])
{
    double sum = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        double v[3][3], length[3], dots[3];
        for (int i = 0; i < 3; i++) {
            length[i] = 0;
            for (int k = 0; k < 3; k++) {
                v[i][k] = (double)s->points[3 * (size_t)s->triangles[3 * t + (size_t)i] + (size_t)k] - p[k];
                length[i] += v[i][k] * v[i][k];
            }
            length[i] = sqrt(length[i]);
        }
        for (int i = 0; i < 3; i++) {
            const double *q = v[(i + 1) % 3];
            dots[i] = v[i][0] * q[0] + v[i][1] * q[1] + v[i][2] * q[2];
        }
        double det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                     v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                     v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        sum += atan2(det, length[0] * length[1] * length[2] + dots[0] * length[2] + dots[1] * length[0] +
                              dots[2] * length[1]);
    }
    return sum > 3.14159265358979323846;
}

// Six times the volume that the kept pieces of one mesh stand before, by the rule of the intersect family.
static double kept_volume(const pieces *p, const mesh *other, int side, mr_boolean_op op)
{
    double volume = 0;
    for (size_t i = 0; i < p->count; i++) {
        const float *a = place_of(p, p->words[4 * i]), *b = place_of(p, p->words[4 * i + 1]);
        const float *c = place_of(p, p->words[4 * i + 2]);
        double n[3], size = normal_of(a, b, c, n), out[3], in[3];
        if (size < 1e-9) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            double centre = ((double)a[k] + (double)b[k] + (double)c[k]) / 3;
            out[k] = centre + 1e-5 * n[k] / size;
            in[k] = centre - 1e-5 * n[k] / size;
        }
        bool outer = is_inside(other, out), inner = is_inside(other, in);
        bool kept = op == MR_BOOLEAN_UNION          ? (side ? !outer && !inner : !outer)
                    : op == MR_BOOLEAN_INTERSECTION ? (side ? outer && inner : inner)
                                                    : (side ? outer && inner : !inner);
        double part = (double)a[0] * ((double)b[1] * (double)c[2] - (double)b[2] * (double)c[1]) +
                      (double)a[1] * ((double)b[2] * (double)c[0] - (double)b[0] * (double)c[2]) +
                      (double)a[2] * ((double)b[0] * (double)c[1] - (double)b[1] * (double)c[0]);
        volume += !kept ? 0 : side && op == MR_BOOLEAN_DIFFERENCE ? -part : part;
    }
    return volume;
}

static void the_rule_by_pieces_gives_the_volume_of_the_boolean(void **state)
{
    test_random random = { 4 };
    for (size_t n = 0; n < test_count(60); n++) {
        solid sa = random_solid(&random, (uint32_t)n), sb = random_solid(&random, (uint32_t)n / 3);
        // What touches in a corner on an edge, and is not coplanar there, may be left uncut by part 0: boxes alone touch.
        if (n % 2 || n % 3 || n / 3 % 3) {
            solid_turn(&sb, (int)test_below(&random, 3), test_between(&random, 0, 3));
            solid_move(&sb, test_between(&random, -1, 1), test_between(&random, -1, 1), 0.2);
        }
        mesh a = mesh_of_solid(&sa), b = mesh_of_solid(&sb);
        chain c = chain_run(*state, &a, &b);
        pieces pa = retri(*state, &a, &c, 0, -1), pb = retri(*state, &b, &c, 1, -1);
        for (int op = 0; op < 3; op++) {
            mr_triangles va = view_of(&a), vb = view_of(&b);
            mr_boolean_mesh made;
            mr_error error;
            test_assert_ok(mr_boolean(*state, (mr_boolean_op)op, &va, &vb, &made, &error), &error);
            solid view = { made.points, made.triangles, made.point_count, made.triangle_count };
            double want = made.triangle_count ? solid_volume(&view) : 0;
            double got =
                (kept_volume(&pa, &b, 0, (mr_boolean_op)op) + kept_volume(&pb, &a, 1, (mr_boolean_op)op)) / 6;
            if (fabs(got - want) > 1e-4) {
                fail_msg("pair %zu, op %d: %.9g by pieces, %.9g by the boolean", n, op, got, want);
            }
            mr_boolean_release(*state, &made);
        }
        free(pa.words);
        free(pb.words);
        chain_free(&c);
        mesh_free(&a);
        mesh_free(&b);
        solid_free(&sa);
        solid_free(&sb);
    }
}

static void threads_and_live_counts_do_not_matter(void **state)
{
    mr_context *one = test_context_of(1, 0), *seven = test_context_of(7, 0);
    solid sa = solid_sphere(1, 12, 20), sb = solid_torus(1, 0.3, 8, 16);
    mesh a = mesh_of_solid(&sa), b = mesh_of_solid(&sb);
    chain c = chain_run(one, &a, &b);
    pieces p = retri(one, &a, &c, 0, -1), q = retri(seven, &a, &c, 0, -1),
           some = retri(seven, &a, &c, 0, 100);
    assert_int_equal(p.count, q.count);
    assert_true(some.count < p.count);
    assert_memory_equal(p.words, q.words, 4 * p.count * sizeof *p.words);
    assert_memory_equal(p.words, some.words, 4 * some.count * sizeof *p.words);
    free(p.words);
    free(q.words);
    free(some.words);
    chain_free(&c);
    mesh_free(&a);
    mesh_free(&b);
    solid_free(&sa);
    solid_free(&sb);
    test_context_end(one);
    test_context_end(seven);
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    solid sa = solid_box(0, 0, 0, 2, 2, 2), sb = solid_box(1, 1, 1, 3, 3, 3);
    mesh a = mesh_of_solid(&sa), b = mesh_of_solid(&sb);
    chain c = chain_run(*state, &a, &b);
    uint32_t *runs, *order, off[12] = { 0 };
    kernel_run run;
    runs_of(&a, &c, 0, &runs, &order);
    begin_retri(&run, *state, &a, &c, 0, -1, runs, order);
    kernel_choose(&run, "STAGE", "write");
    bind_words(&run, "off", off, 12);
    kernel_param(&run, "total", 3);
    kernel_refused(&run, "binding off");
    order[0] = 1000;
    begin_retri(&run, *state, &a, &c, 0, -1, runs, order);
    kernel_refused(&run, "binding order");
    order[0] = 0;
    runs[1] = 1000;
    begin_retri(&run, *state, &a, &c, 0, -1, runs, order);
    kernel_refused(&run, "binding runs");
    runs[1] = 0;
    a.triangles[4] = 77;
    begin_retri(&run, *state, &a, &c, 0, -1, runs, order);
    kernel_refused(&run, "binding tri");
    // Ends that are nowhere cut nothing.
    a.triangles[4] = b.triangles[4];
    for (size_t i = 0; i < 2 * c.entries; i++) {
        c.ends[i].position[i % 3] = i % 2 ? NAN : INFINITY;
    }
    pieces p = retri(*state, &a, &c, 0, -1);
    assert_int_equal(p.count, 12);
    free(p.words);
    free(runs);
    free(order);
    chain_free(&c);
    mesh_free(&a);
    mesh_free(&b);
    solid_free(&sa);
    solid_free(&sb);
}

static void failing_memory_is_an_error_at_every_site(void **state)
{
    solid sa = solid_box(0, 0, 0, 2, 2, 2), sb = solid_box(1, 1, 1, 3, 3, 3);
    mesh a = mesh_of_solid(&sa), b = mesh_of_solid(&sb);
    chain c = chain_run(*state, &a, &b);
    uint32_t *runs, *order;
    runs_of(&a, &c, 0, &runs, &order);
    bool done = false;
    for (uint64_t site = 1; !done; site++) {
        kernel_run run;
        mr_context *context = test_context_of(2, 0);
        begin_retri(&run, context, &a, &c, 0, -1, runs, order);
        mr_memory_fail_after(context, site, true);
        done = kernel_go(&run);
        mr_memory_fail_after(context, 0, false);
        assert_true(done || run.error.status == MR_OUT_OF_MEMORY);
        assert_true(site < 1000);
        kernel_end(&run);
        test_context_end(context);
    }
    free(runs);
    free(order);
    chain_free(&c);
    mesh_free(&a);
    mesh_free(&b);
    solid_free(&sa);
    solid_free(&sb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_tile_their_triangles_and_hold_the_cuts),
        cmocka_unit_test(near_coincident_meshes_are_tiled),
        cmocka_unit_test(pieces_fit_across_the_mesh),
        cmocka_unit_test(the_rule_by_pieces_gives_the_volume_of_the_boolean),
        cmocka_unit_test(threads_and_live_counts_do_not_matter),
        cmocka_unit_test(what_does_not_fit_is_refused_by_name),
        cmocka_unit_test(failing_memory_is_an_error_at_every_site),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
