// The whole table of edges against a naive map of pairs, and Euler's formula on spheres, tori and sheets.

#include "support.h"

#include "kernel/edge_table.h"

enum { MOST = 72, POINTS = 9 };

static void build(mr_context *context, const mr_linkage *mesh, mr_edge_table *table)
{
    mr_error error = { 0 };
    test_assert_ok(mr_edge_table_build(context, mesh, table, &error), &error);
}

typedef struct soup {
    size_t vertices, primitives;
    int32_t pt[MOST], vstart[MOST], vcount[MOST];
    uint32_t closed[MOST];
} soup;

static void random_soup(test_random *random, soup *s)
{
    uint32_t points = 1 + test_below(random, POINTS);
    size_t most = test_below(random, MOST + 1);
    s->vertices = s->primitives = 0;
    while (s->vertices < most) {
        size_t count = test_below(random, 6), left = most - s->vertices;
        count = count < left ? count : left;
        s->vstart[s->primitives] = (int32_t)s->vertices;
        s->vcount[s->primitives] = (int32_t)count;
        s->closed[s->primitives] = test_below(random, 4) > 0;
        for (size_t k = 0; k < count; k++) {
            bool none = test_below(random, 20) == 0;
            s->pt[s->vertices++] = none ? -1 : (int32_t)test_below(random, points);
        }
        s->primitives++;
        if (s->primitives == MOST) {
            break;
        }
    }
}

// Vertices whose sides join each pair of points, in order of vertices, and which primitive owns them.
typedef struct naive {
    size_t sides, edges, open, crowded;
    int32_t owner[MOST], lo[MOST], hi[MOST];
    int32_t count[POINTS][POINTS];
} naive;

static void naive_table(const soup *s, bool wraps, naive *n)
{
    memset(n, 0, sizeof *n);
    for (size_t v = 0; v < s->vertices; v++) {
        n->owner[v] = -1;
    }
    for (size_t i = 0; i < s->primitives; i++) {
        for (int32_t k = 0; k < s->vcount[i]; k++) {
            int32_t v = s->vstart[i] + k, last = k == s->vcount[i] - 1;
            int32_t a = s->pt[v], b = s->pt[last ? s->vstart[i] : v + 1];
            if (a == b || a < 0 || b < 0 || (last && !wraps && !s->closed[i])) {
                continue;
            }
            n->owner[v] = (int32_t)i;
            n->lo[v] = a < b ? a : b;
            n->hi[v] = a < b ? b : a;
            n->count[n->lo[v]][n->hi[v]]++;
            n->sides++;
        }
    }
    for (int a = 0; a < POINTS; a++) {
        for (int b = a + 1; b < POINTS; b++) {
            n->edges += n->count[a][b] > 0;
            n->open += n->count[a][b] == 1;
            n->crowded += n->count[a][b] > 2;
        }
    }
}

static void assert_table(const mr_edge_table *t, const soup *s, const naive *n)
{
    int32_t place = 0;
    assert_int_equal(t->edges, n->edges);
    assert_int_equal(t->sides, n->sides);
    assert_int_equal(t->open, n->open);
    assert_int_equal(t->crowded, n->crowded);
    size_t e = 0;
    for (int32_t a = 0; a < POINTS; a++) {
        for (int32_t b = a + 1; b < POINTS; b++) {
            if (n->count[a][b] == 0) {
                continue;
            }
            assert_true(t->a[e] == a && t->b[e] == b);
            assert_int_equal(t->start[e], place);
            assert_int_equal(t->count[e], n->count[a][b]);
            for (int32_t v = 0; v < (int32_t)s->vertices; v++) {
                if (n->owner[v] >= 0 && n->lo[v] == a && n->hi[v] == b) {
                    assert_int_equal(t->vertex[place], v);
                    assert_int_equal(t->face[place], n->owner[v]);
                    assert_int_equal(t->edge[v], e);
                    place++;
                }
            }
            e++;
        }
    }
    for (size_t v = 0; v < s->vertices; v++) {
        assert_true(n->owner[v] >= 0 || t->edge[v] == -1);
    }
}

static void any_soup_of_primitives_has_the_edges_of_a_naive_map(void **state)
{
    test_random random = { 54 };
    for (size_t i = 0; i < test_count(12000); i++) {
        soup s;
        naive n;
        mr_edge_table table;
        bool wraps = i % 2;
        random_soup(&random, &s);
        mr_linkage mesh = { s.pt, s.vertices, s.vstart, s.vcount, s.primitives, wraps ? NULL : s.closed };
        naive_table(&s, wraps, &n);
        build(*state, &mesh, &table);
        assert_table(&table, &s, &n);
        mr_edge_table_release(*state, &table);
    }
}

// A lattice of triangles, w by h quads, joined to itself across and down where asked.
typedef struct lattice {
    size_t points, vertices, triangles;
    int32_t *pt, *vstart, *vcount;
} lattice;

static lattice lattice_of(int32_t w, int32_t h, bool round, bool over)
{
    int32_t across = w + !round, down = h + !over;
    lattice l = { (size_t)(across * down), 6 * (size_t)(w * h), 2 * (size_t)(w * h), NULL, NULL, NULL };
    l.pt = malloc((l.vertices + 2 * l.triangles) * sizeof *l.pt);
    l.vstart = l.pt + l.vertices;
    l.vcount = l.vstart + l.triangles;
    for (int32_t y = 0; y < h; y++) {
        for (int32_t x = 0; x < w; x++) {
            int32_t right = (x + 1) % across, up = (y + 1) % down;
            int32_t corner[] = { y * across + x, y * across + right, up * across + right, up * across + x };
            int32_t *pt = &l.pt[6 * (y * w + x)];
            for (int k = 0; k < 6; k++) {
                pt[k] = corner[(const int[]){ 0, 1, 2, 0, 2, 3 }[k]];
            }
        }
    }
    for (size_t i = 0; i < l.triangles; i++) {
        l.vstart[i] = 3 * (int32_t)i;
        l.vcount[i] = 3;
    }
    return l;
}

static mr_linkage linkage_of(const lattice *l)
{
    return (mr_linkage){ l->pt, l->vertices, l->vstart, l->vcount, l->triangles, NULL };
}

static long euler(const mr_edge_table *table, size_t points, size_t faces)
{
    return (long)points - (long)table->edges + (long)faces;
}

static void tori_tubes_and_sheets_follow_eulers_formula(void **state)
{
    static const int32_t sizes[][2] = { { 3, 3 }, { 4, 7 }, { 31, 16 }, { 200, 150 } };
    for (size_t i = 0; i < 4; i++) {
        for (int form = 0; form < 3; form++) {
            int32_t w = sizes[i][0], h = sizes[i][1];
            lattice l = lattice_of(w, h, form > 0, form > 1);
            mr_linkage mesh = linkage_of(&l);
            mr_edge_table table;
            build(*state, &mesh, &table);
            size_t rim = form == 0 ? 2 * (size_t)(w + h) : form == 1 ? 2 * (size_t)w : 0;
            assert_int_equal(euler(&table, l.points, l.triangles), form == 0 ? 1 : 0);
            assert_int_equal(table.open, rim);
            assert_int_equal(table.crowded, 0);
            assert_int_equal(table.sides, l.vertices);
            mr_edge_table_release(*state, &table);
            free(l.pt);
        }
    }
}

// A lattice joined across whose first and last row are each one point: a sphere of w meridians. The triangles at the
// poles that have fallen are left out.
static void a_sphere_of_fallen_poles_follows_eulers_formula(void **state)
{
    for (int32_t w = 3; w < 40; w += 9) {
        int32_t h = w + 2;
        lattice l = lattice_of(w, h, true, false);
        size_t faces = 0;
        for (size_t v = 0; v < l.vertices; v++) {
            l.pt[v] = l.pt[v] < w ? 0 : l.pt[v] >= w * h ? w * h : l.pt[v];
        }
        for (size_t i = 0; i < l.triangles; i++) { // what has fallen is left out
            int32_t *pt = &l.pt[3 * i];
            bool fallen = pt[0] == pt[1] || pt[1] == pt[2] || pt[2] == pt[0];
            l.vcount[i] = fallen ? 0 : 3;
            faces += !fallen;
        }
        mr_linkage mesh = linkage_of(&l);
        mr_edge_table table;
        build(*state, &mesh, &table);
        assert_int_equal(euler(&table, (size_t)(w * (h - 1) + 2), faces), 2);
        assert_int_equal(table.open, 0);
        assert_int_equal(table.sides, 3 * faces);
        assert_int_equal(table.sides, 2 * table.edges);
        mr_edge_table_release(*state, &table);
        free(l.pt);
    }
}

static void faces_that_are_there_twice_crowd_their_edges(void **state)
{
    static const int32_t pt[] = { 0, 1, 2, 0, 1, 2, 2, 1, 3, 4, 4, 5 };
    static const int32_t vstart[] = { 0, 3, 6, 9 }, vcount[] = { 3, 3, 3, 3 };
    static const int32_t a[] = { 0, 0, 1, 1, 2, 4 }, b[] = { 1, 2, 2, 3, 3, 5 };
    static const int32_t count[] = { 2, 2, 3, 1, 1, 2 };
    mr_linkage mesh = { pt, 12, vstart, vcount, 4, NULL };
    mr_edge_table table;
    build(*state, &mesh, &table);
    assert_int_equal(table.edges, 6);
    assert_memory_equal(table.a, a, sizeof a);
    assert_memory_equal(table.b, b, sizeof b);
    assert_memory_equal(table.count, count, sizeof count);
    assert_int_equal(table.open, 2);
    assert_int_equal(table.crowded, 1);
    assert_int_equal(table.edge[9], -1); // from 4 to 4
    mr_edge_table_release(*state, &table);
}

// A fan: one point that all triangles share, so that as many edges begin at it as there are triangles.
static void a_point_of_many_edges_keeps_them_in_order(void **state)
{
    enum { N = 30000 };
    int32_t *pt = malloc((size_t)N * 5 * sizeof *pt), *vstart = pt + 3 * N, *vcount = vstart + N;
    for (int32_t i = 0; i < N; i++) {
        int32_t at = (int32_t)((int64_t)i * 7919 % N);
        pt[3 * i] = 0;
        pt[3 * i + 1] = 1 + at;
        pt[3 * i + 2] = 1 + (at + 1) % N;
        vstart[i] = 3 * i;
        vcount[i] = 3;
    }
    mr_linkage mesh = { pt, 3 * N, vstart, vcount, N, NULL };
    mr_edge_table table;
    build(*state, &mesh, &table);
    assert_int_equal(table.edges, 2 * N);
    assert_int_equal(table.open, N);
    for (int32_t e = 0; e < N; e++) {
        assert_true(table.a[e] == 0 && table.b[e] == 1 + e && table.count[e] == 2);
        assert_true(table.vertex[2 * e] < table.vertex[2 * e + 1]);
    }
    mr_edge_table_release(*state, &table);
    free(pt);
}

static void threads_change_nothing(void **state)
{
    lattice l = lattice_of(300, 200, true, false);
    mr_linkage mesh = linkage_of(&l);
    mr_context *one = test_context_of(1, 0), *seven = test_context_of(7, 0);
    mr_edge_table a, b;
    build(one, &mesh, &a);
    build(seven, &mesh, &b);
    assert_int_equal(a.edges, b.edges);
    assert_memory_equal(a.a, b.a, a.edges * 4);
    assert_memory_equal(a.b, b.b, a.edges * 4);
    assert_memory_equal(a.start, b.start, a.edges * 4);
    assert_memory_equal(a.count, b.count, a.edges * 4);
    assert_memory_equal(a.vertex, b.vertex, l.vertices * 4);
    assert_memory_equal(a.face, b.face, l.vertices * 4);
    assert_memory_equal(a.edge, b.edge, l.vertices * 4);
    assert_int_equal(a.open, b.open);
    mr_edge_table_release(one, &a);
    mr_edge_table_release(seven, &b);
    test_context_end(one);
    test_context_end(seven);
    free(l.pt);
}

static void a_failing_allocator_leaves_no_table(void **state)
{
    lattice l = lattice_of(5, 4, false, false);
    mr_linkage mesh = linkage_of(&l);
    bool good = false;
    for (uint64_t at = 1; !good; at++) {
        mr_context *context = test_context_of(1, 0);
        mr_edge_table table;
        mr_error error = { 0 };
        mr_memory_fail_after(context, at, false);
        good = mr_edge_table_build(context, &mesh, &table, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || (error.status == MR_OUT_OF_MEMORY && !table.rows && table.edges == 0));
        assert_true(good || at < 100);
        mr_edge_table_release(context, &table);
        test_context_end(context);
    }
    free(l.pt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_soup_of_primitives_has_the_edges_of_a_naive_map, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(tori_tubes_and_sheets_follow_eulers_formula, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(a_sphere_of_fallen_poles_follows_eulers_formula, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(faces_that_are_there_twice_crowd_their_edges, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(a_point_of_many_edges_keeps_them_in_order, test_setup, test_teardown),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_failing_allocator_leaves_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
