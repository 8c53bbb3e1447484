// intersect_pairs, intersect_cuts and intersect_unify: on whole coordinates against fractions of whole numbers, on others
// by what must hold.

#include "intersect_chain.h"

// The definition, in whole numbers. Coordinates are small enough that no product leaves 64 bits.

typedef struct whole {
    int64_t x[3];
} whole;

static whole minus(whole a, whole b)
{
    return (whole){ { a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2] } };
}
static whole cross(whole a, whole b)
{
    return (whole){ { a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                      a.x[0] * b.x[1] - a.x[1] * b.x[0] } };
}
static int64_t dot(whole a, whole b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}
static bool is_zero(whole a)
{
    return a.x[0] == 0 && a.x[1] == 0 && a.x[2] == 0;
}

typedef struct corners {
    whole p[3];
} corners;

static corners corners_of(const mesh *m, uint32_t t)
{
    corners c;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            c.p[i].x[k] = (int64_t)m->points[3 * (size_t)m->triangles[3 * t + (uint32_t)i] + (size_t)k];
        }
    }
    return c;
}

static whole normal(const corners *t)
{
    return cross(minus(t->p[1], t->p[0]), minus(t->p[2], t->p[0]));
}

// Whether a point is strictly inside a segment.
static bool within(whole v, whole p, whole q)
{
    whole along = minus(q, p), to = minus(v, p);
    return is_zero(cross(along, to)) && dot(to, along) > 0 && dot(to, along) < dot(along, along);
}

// Whether segments cross in one plane, strictly inside both: the point where the lines meet is at u / d along one and v / d
// along the other.
static bool cross_inside(whole p, whole q, whole r, whole s)
{
    whole n = cross(minus(q, p), minus(s, r));
    int64_t d = dot(n, n);
    if (d == 0 || dot(n, minus(r, p)) != 0) {
        return false;
    }
    int64_t u = dot(cross(minus(r, p), minus(s, r)), n), v = dot(cross(minus(r, p), minus(q, p)), n);
    return u > 0 && u < d && v > 0 && v < d;
}

// Whether a segment in a triangle's plane keeps a length inside it: the greatest lower and the least upper bound of its
// fractions, each a quotient with a denominator above 0.
static bool keeps_length(whole p, whole q, const corners *t)
{
    whole n = normal(t);
    int64_t low[2] = { 0, 1 }, high[2] = { 1, 1 };
    for (int i = 0; i < 3; i++) {
        whole inward = cross(n, minus(t->p[(i + 1) % 3], t->p[i]));
        int64_t at = dot(inward, minus(p, t->p[i])), slope = dot(inward, minus(q, p));
        if (slope == 0 && at < 0) {
            return false;
        }
        if (slope > 0 && -at * low[1] > low[0] * slope) {
            low[0] = -at;
            low[1] = slope;
        }
        if (slope < 0 && at * high[1] < high[0] * -slope) {
            high[0] = at;
            high[1] = -slope;
        }
    }
    return low[0] * high[1] < high[0] * low[1];
}

static uint64_t reference_parts(const corners *a, const corners *b, bool *touching)
{
    uint64_t parts = 0;
    whole na = normal(a), nb = normal(b);
    bool coplanar = !is_zero(na) && !is_zero(nb);
    *touching = is_zero(na) || is_zero(nb);
    for (int i = 0; i < 3; i++) {
        bool on_a = dot(na, minus(b->p[i], a->p[0])) == 0, on_b = dot(nb, minus(a->p[i], b->p[0])) == 0;
        coplanar = coplanar && on_a && on_b;
        *touching = *touching || on_a || on_b;
    }
    for (int i = 0; i < 3; i++) {
        whole p = a->p[i], q = a->p[(i + 1) % 3];
        for (int j = 0; j < 3; j++) {
            whole r = b->p[j], s = b->p[(j + 1) % 3];
            *touching = *touching || dot(cross(minus(q, p), minus(s, r)), minus(r, p)) == 0;
            parts |= (uint64_t)cross_inside(p, q, r, s) << (7 + 3 * i + j);
            parts |= (uint64_t)within(p, r, s) << (16 + 3 * i + j);
            parts |= (uint64_t)within(r, p, q) << (25 + 3 * j + i);
        }
        if (coplanar) {
            parts |= (uint64_t)keeps_length(b->p[i], b->p[(i + 1) % 3], a) << (1 + i);
            parts |= (uint64_t)keeps_length(p, q, b) << (4 + i);
        }
    }
    return parts;
}

// Whether two triangles in general position cross: some side of one goes through the other's inside.
static bool goes_through(whole p, whole q, const corners *t)
{
    whole n = normal(t);
    int64_t from = dot(n, minus(p, t->p[0])), to = dot(n, minus(q, t->p[0]));
    if ((from > 0) == (to > 0)) {
        return false;
    }
    int turns = 0;
    for (int i = 0; i < 3; i++) {
        turns += dot(cross(minus(q, p), minus(t->p[i], p)), minus(t->p[(i + 1) % 3], p)) > 0 ? 1 : -1;
    }
    return turns == 3 || turns == -3;
}

static bool reference_cross(const corners *a, const corners *b)
{
    for (int i = 0; i < 3; i++) {
        if (goes_through(a->p[i], a->p[(i + 1) % 3], b) || goes_through(b->p[i], b->p[(i + 1) % 3], a)) {
            return true;
        }
    }
    return false;
}

static mesh random_soup(test_random *random, size_t points, size_t triangles, uint32_t span)
{
    float *p = malloc((3 * points + 3) * sizeof *p);
    uint32_t *t = malloc((3 * triangles + 3) * sizeof *t);
    bool level = test_below(random, 3) == 0;
    for (size_t i = 0; i < 3 * points; i++) {
        p[i] = level && i % 3 == 2 ? 0 : (float)((int)test_below(random, span) - (int)span / 2);
    }
    for (size_t i = 0; i < 3 * triangles; i++) {
        t[i] = test_below(random, (uint32_t)points);
    }
    mesh m = mesh_of(p, points, t, triangles);
    free(p);
    free(t);
    return m;
}

static bool has_twin_corner(const uint32_t *t)
{
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

static void parts_are_those_of_whole_numbers(void **state)
{
    test_random random = { 1 };
    size_t seen[MR_CUT_PARTS] = { 0 };
    for (size_t n = 0; n < test_count(150000); n++) {
        mesh a = random_soup(&random, 4, 1, 3 + (uint32_t)n % 12),
             b = random_soup(&random, 4, 1, 3 + (uint32_t)n % 12);
        mr_cut_meshes meshes = { { view_of(&a), view_of(&b) } };
        uint64_t parts = mr_cut_parts(&meshes, 0, 0);
        if (has_twin_corner(a.triangles) || has_twin_corner(b.triangles)) {
            assert_true(parts == 0);
        } else {
            bool touching;
            corners ca = corners_of(&a, 0), cb = corners_of(&b, 0);
            uint64_t want = reference_parts(&ca, &cb, &touching);
            assert_true((parts & ~(uint64_t)1) == want);
            assert_true((want & 0x7e) == 0 || (parts & 1) == 0);
            if (!touching) {
                assert_int_equal(parts & 1, reference_cross(&ca, &cb));
            }
        }
        for (int p = 0; p < MR_CUT_PARTS; p++) {
            seen[p] += parts >> p & 1;
        }
        mesh_free(&a);
        mesh_free(&b);
    }
    for (int p = 0; p < MR_CUT_PARTS; p++) {
        assert_true(test_scale() < 1 || seen[p] > 10);
    }
}

static double distance_to_plane(const mesh *m, uint32_t t, const float *point)
{
    const uint32_t *ids = m->triangles + 3 * (size_t)t;
    double e[2][3], n[3], d = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        e[0][k] = (double)m->points[3 * ids[1] + (uint32_t)k] - (double)m->points[3 * ids[0] + (uint32_t)k];
        e[1][k] = (double)m->points[3 * ids[2] + (uint32_t)k] - (double)m->points[3 * ids[0] + (uint32_t)k];
    }
    for (int k = 0; k < 3; k++) {
        n[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
        size += n[k] * n[k];
        d += n[k] * ((double)point[k] - (double)m->points[3 * ids[0] + (uint32_t)k]);
    }
    return size > 0 ? fabs(d) / sqrt(size) : 0;
}

static double distance_to_line(const mesh *m, uint32_t lo, uint32_t hi, const float *point)
{
    double along = 0, length = 0, away = 0;
    for (int k = 0; k < 3; k++) {
        double e = (double)m->points[3 * hi + (uint32_t)k] - (double)m->points[3 * lo + (uint32_t)k];
        double v = (double)point[k] - (double)m->points[3 * lo + (uint32_t)k];
        along += e * v;
        length += e * e;
        away += v * v;
    }
    double square = away - along * along / length;
    return square > 0 ? sqrt(square) : 0;
}

static void check_end(const mr_cut_meshes *meshes, const mesh *a, const mesh *b, const uint32_t *entry,
                      const mr_cut_end *end)
{
    uint32_t kind = end->kind & MR_END_KIND, cuts = end->kind >> MR_END_CUTS_SHIFT;
    assert_int_equal(cuts, entry[2] >= 1 && entry[2] < 4 ? 1 : entry[2] >= 4 && entry[2] < 7 ? 2 : 3);
    assert_true(distance_to_plane(a, entry[0], end->position) < 4e-6);
    assert_true(distance_to_plane(b, entry[1], end->position) < 4e-6);
    if (kind == MR_END_POINT_OF_A || kind == MR_END_POINT_OF_B) {
        const mesh *m = kind == MR_END_POINT_OF_A ? a : b;
        assert_int_equal(end->lo, end->hi);
        assert_int_equal(end->tri | end->extra, 0);
        assert_memory_equal(end->position, m->points + 3 * (size_t)end->lo, sizeof end->position);
        return;
    }
    assert_true(end->lo < end->hi);
    const mesh *m = kind == MR_END_EDGE_OF_B ? b : a;
    assert_true(distance_to_line(m, end->lo, end->hi, end->position) < 4e-6);
    if (kind == MR_END_EDGES) {
        assert_true(end->tri < end->extra);
        assert_true(distance_to_line(b, end->tri, end->extra, end->position) < 1e-4);
    } else {
        assert_int_equal(end->tri, kind == MR_END_EDGE_OF_A ? entry[1] : entry[0]);
        assert_int_equal(end->extra, 0);
    }
}

static void check_chain(const mesh *a, const mesh *b, const chain *c, bool whole_coordinates)
{
    mr_cut_meshes meshes = { { view_of(a), view_of(b) } };
    size_t at = 0;
    for (uint32_t i = 0; i < a->triangle_count; i++) {
        size_t first = at;
        uint64_t parts = 0, all = 0;
        for (uint32_t j = 0; j < b->triangle_count; j++) {
            all += (uint64_t)__builtin_popcountll(mr_cut_parts(&meshes, i, j));
        }
        assert_int_equal(all, c->counts[i]);
        for (; at < first + c->counts[i]; at++) {
            const uint32_t *entry = c->pairs + 3 * at;
            bool next = at > first && entry[1] == entry[-2];
            parts = next ? parts : mr_cut_parts(&meshes, i, entry[1]);
            assert_int_equal(entry[0], i);
            assert_int_equal(entry[2], __builtin_ctzll(parts)); // by part, none left out
            parts &= parts - 1;
            if (whole_coordinates) {
                check_end(&meshes, a, b, entry, &c->ends[2 * at]);
                check_end(&meshes, a, b, entry, &c->ends[2 * at + 1]);
            }
            if (entry[2] >= 7) {
                assert_memory_equal(&c->ends[2 * at], &c->ends[2 * at + 1], sizeof(mr_cut_end));
            }
        }
    }
    assert_int_equal(at, c->entries);
}

static bool same_name(const mr_cut_end *a, const mr_cut_end *b)
{
    return (a->kind & 255) == (b->kind & 255) && a->lo == b->lo && a->hi == b->hi && a->tri == b->tri &&
           a->extra == b->extra;
}

static void check_rep(const chain *c)
{
    for (size_t s = 0; s < 2 * c->entries; s++) {
        size_t first = 0;
        while (!same_name(&c->ends[first], &c->ends[s])) {
            first++;
        }
        assert_int_equal(c->rep[s], first);
        assert_memory_equal(c->ends[first].position, c->ends[s].position, 3 * sizeof(float));
    }
}

static void the_chain_lists_every_part_once_in_order(void **state)
{
    test_random random = { 2 };
    static const size_t sizes[] = { 0, 1, 2, 3, 7, 20, 33 };
    for (size_t n = 0; n < test_count(400); n++) {
        mesh a = random_soup(&random, 12, sizes[test_below(&random, 7)], 6);
        mesh b = random_soup(&random, 12, sizes[test_below(&random, 7)], 6);
        chain c = chain_run(*state, &a, &b);
        check_chain(&a, &b, &c, true);
        check_rep(&c);
        chain_free(&c);
        mesh_free(&a);
        mesh_free(&b);
    }
}

// Tetrahedra in general position: their curve is closed, so each of its points ends two segments of part 0.
static void the_curve_of_closed_meshes_is_closed(void **state)
{
    test_random random = { 3 };
    static const uint32_t faces[] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 };
    size_t cut = 0;
    for (size_t n = 0; n < test_count(20000); n++) {
        float pa[12], pb[12];
        for (int i = 0; i < 12; i++) {
            pa[i] = (float)test_between(&random, -1, 1);
            pb[i] = (float)test_between(&random, -1, 1);
        }
        mesh a = mesh_of(pa, 4, faces, 4), b = mesh_of(pb, 4, faces, 4);
        mr_cut_meshes meshes = { { view_of(&a), view_of(&b) } };
        mr_cut_end ends[32];
        int count = 0;
        for (uint32_t i = 0; i < 16; i++) {
            count += mr_cut_part(&meshes, i / 4, i % 4, 0, ends + 2 * count);
            assert_true(mr_cut_parts(&meshes, i / 4, i % 4) <= 1);
        }
        for (int i = 0; i < 2 * count; i++) {
            int same = 0;
            for (int j = 0; j < 2 * count; j++) {
                same += same_name(&ends[i], &ends[j]);
            }
            assert_int_equal(same, 2);
        }
        cut += count > 0;
        mesh_free(&a);
        mesh_free(&b);
    }
    assert_true(cut > 10);
}

static void a_live_count_leaves_the_rest_alone(void **state)
{
    test_random random = { 4 };
    for (size_t n = 0; n < test_count(50); n++) {
        mesh a = random_soup(&random, 12, 20, 5), b = random_soup(&random, 12, 20, 5);
        chain all = { 0 }, some = { 0 };
        uint32_t live = test_below(&random, 21);
        chain_pairs(*state, &a, &b, -1, &all);
        chain_pairs(*state, &a, &b, (long)live, &some);
        assert_memory_equal(all.counts, some.counts, live * sizeof(uint32_t));
        assert_memory_equal(all.pairs, some.pairs, 3 * some.entries * sizeof(uint32_t));
        chain_cuts(*state, &a, &b, &all);
        size_t held = all.entries ? test_below(&random, (uint32_t)all.entries) : 0;
        kernel_run run;
        kernel_begin(&run, *state, "intersect_cuts", all.entries, (long)held);
        bind_meshes(&run, &a, &b);
        bind_words(&run, "pairs", all.pairs, 3 * all.entries);
        kernel_go_ok(&run);
        uint32_t *cut = words_out(&run, "cut", 16 * all.entries);
        assert_memory_equal(cut, all.ends, held * 16 * sizeof(uint32_t));
        for (size_t i = 16 * held; i < 16 * all.entries; i++) {
            assert_int_equal(cut[i], 0);
        }
        free(cut);
        kernel_end(&run);
        chain_free(&all);
        chain_free(&some);
        mesh_free(&a);
        mesh_free(&b);
    }
}

static void threads_do_not_matter(void **state)
{
    test_random random = { 5 };
    mr_context *one = test_context_of(1, 0), *seven = test_context_of(7, 0);
    for (size_t n = 0; n < test_count(6); n++) {
        mesh a = random_soup(&random, 300, 700, 9), b = random_soup(&random, 300, 300, 9);
        chain c = chain_run(one, &a, &b), d = chain_run(seven, &a, &b);
        assert_int_equal(c.entries, d.entries);
        assert_memory_equal(c.pairs, d.pairs, 3 * c.entries * sizeof(uint32_t));
        assert_memory_equal(c.ends, d.ends, 2 * c.entries * sizeof(mr_cut_end));
        assert_memory_equal(c.rep, d.rep, 2 * c.entries * sizeof(uint32_t));
        chain_free(&c);
        chain_free(&d);
        mesh_free(&a);
        mesh_free(&b);
    }
    test_context_end(one);
    test_context_end(seven);
}

static void coordinates_that_are_no_numbers_and_wild_indices_cut_nothing(void **state)
{
    test_random random = { 6 };
    for (size_t n = 0; n < test_count(200); n++) {
        mesh a = random_soup(&random, 12, 12, 4), b = random_soup(&random, 12, 12, 4);
        uint32_t bad = test_below(&random, 12), wild = test_below(&random, 36);
        static const float values[] = { NAN, INFINITY, -INFINITY };
        a.points[3 * bad + n % 3] = values[test_below(&random, 3)];
        b.triangles[wild] = 12 + test_u32(&random) % 1000000;
        chain c = chain_run(*state, &a, &b);
        check_chain(&a, &b, &c, false);
        for (size_t i = 0; i < c.entries; i++) {
            const uint32_t *t = a.triangles + 3 * c.pairs[3 * i];
            assert_true(t[0] != bad && t[1] != bad && t[2] != bad);
            assert_true(c.pairs[3 * i + 1] != wild / 3);
        }
        chain_free(&c);
        mesh_free(&a);
        mesh_free(&b);
    }
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    test_random random = { 7 };
    mesh a = random_soup(&random, 12, 9, 4), b = random_soup(&random, 12, 9, 4);
    uint32_t *nodes = tree_of(&b), wrong[9] = { 0 }, entry[3] = { 3, 4, 99 };
    kernel_run run;
    begin_pairs(&run, *state, &a, &b, -1, nodes);
    kernel_choose(&run, "STAGE", "write");
    bind_words(&run, "start", wrong, 9);
    kernel_param(&run, "total", 7);
    kernel_refused(&run, "binding start");
    nodes[7] = 0; // the root is its own child
    begin_pairs(&run, *state, &a, &b, -1, nodes);
    kernel_refused(&run, "binding nodes");
    nodes[7] = 500;
    begin_pairs(&run, *state, &a, &b, -1, nodes);
    kernel_refused(&run, "binding nodes");
    kernel_begin(&run, *state, "intersect_cuts", 1, -1);
    bind_meshes(&run, &a, &b);
    bind_words(&run, "pairs", entry, 3);
    kernel_refused(&run, "binding pairs");
    uint32_t words[64] = { 0 };
    for (int bad = 0; bad < 3; bad++) {
        kernel_begin(&run, *state, "intersect_unify", 4, -1);
        kernel_choose(&run, "STAGE", bad == 2 ? "resolve" : "claim");
        words[0] = bad == 1 ? 77 : 0;
        bind_words(&run, "cut", words + 8, 32);
        uint32_t full[8] = { 77, 77, 77, 77, 77, 77, 77, 77 };
        bind_words(&run, "table", bad == 1 ? full : words, 8);
        bind_words(&run, "lowest", words, 8);
        bind_words(&run, "rep", words, 4);
        kernel_param(&run, "cells", bad == 0 ? 4 : 8);
        kernel_refused(&run, "binding table");
    }
    free(nodes);
    mesh_free(&a);
    mesh_free(&b);
}

static void failing_memory_is_an_error_at_every_site(void **state)
{
    test_random random = { 8 };
    mesh a = random_soup(&random, 12, 20, 4), b = random_soup(&random, 12, 20, 4);
    uint32_t *nodes = tree_of(&b);
    bool done = false;
    for (uint64_t site = 1; !done; site++) {
        kernel_run run;
        mr_context *context = test_context_of(2, 0);
        begin_pairs(&run, context, &a, &b, -1, nodes);
        mr_memory_fail_after(context, site, true);
        done = kernel_go(&run);
        mr_memory_fail_after(context, 0, false);
        assert_true(done || run.error.status == MR_OUT_OF_MEMORY);
        kernel_end(&run);
        test_context_end(context);
    }
    free(nodes);
    mesh_free(&a);
    mesh_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_of_whole_numbers),
        cmocka_unit_test(the_chain_lists_every_part_once_in_order),
        cmocka_unit_test(the_curve_of_closed_meshes_is_closed),
        cmocka_unit_test(a_live_count_leaves_the_rest_alone),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(coordinates_that_are_no_numbers_and_wild_indices_cut_nothing),
        cmocka_unit_test(what_does_not_fit_is_refused_by_name),
        cmocka_unit_test(failing_memory_is_an_error_at_every_site),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
