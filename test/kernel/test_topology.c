// Mesh edits against naive lists of corners, over meshes and records of any kind, in both stages; and what edits by way
// of the table of edges keep: closed surfaces stay closed, and Euler's number stays.

#include "kernel/run_kernel.h"

enum { MOST_VERTICES = 40, MOST_PRIMITIVES = 12, MOST_POINTS = 10, MOST_RECORDS = 80, MOST_OUT = 160 };
enum { SPLIT_EDGE, COLLAPSE_EDGE, INSERT_FACE, DELETE_FACE, SPLIT_VERTEX, OPS };

static const char *const op_names[] = { "split_edge", "collapse_edge", "insert_face", "delete_face",
                                        "split_vertex" };

typedef struct mesh {
    size_t vertices, primitives, points, inserted;
    uint32_t wrap, least;
    int32_t pt[MOST_VERTICES], vstart[MOST_PRIMITIVES], vcount[MOST_PRIMITIVES];
    size_t records;
    int32_t rec[MOST_RECORDS];
} mesh;

typedef struct corners {
    size_t n, total;
    int32_t cnt[MOST_VERTICES + MOST_PRIMITIVES], off[MOST_VERTICES + MOST_PRIMITIVES];
    int32_t pt[MOST_OUT], src[MOST_OUT];
} corners;

static void begin(kernel_run *run, mr_context *context, const mesh *m, int op, const char *stage, size_t n)
{
    kernel_begin(run, context, "topology", n, -1);
    kernel_choose(run, "OP", op_names[op]);
    kernel_choose(run, "STAGE", stage);
    kernel_bind(run, "pt", m->pt, m->vertices);
    kernel_bind(run, "vstart", m->vstart, m->primitives);
    kernel_bind(run, "vcount", m->vcount, m->primitives);
    kernel_bind(run, "rec", m->rec, m->records);
    kernel_param(run, "np", (double)m->primitives);
    kernel_param(run, "nv", (double)m->vertices);
    kernel_param(run, "npts", (double)m->points);
    kernel_param(run, "nnew", (double)m->inserted);
    kernel_param(run, "wrap", m->wrap);
    kernel_param(run, "minv", m->least);
}

static void begin_write(kernel_run *run, mr_context *context, const mesh *m, int op, size_t n,
                        const int32_t *off, size_t room)
{
    begin(run, context, m, op, "write", n);
    kernel_bind(run, "off", off, n);
    kernel_bind_number(run, "nv_out", room);
}

// Random meshes and records.

static int32_t random_word(test_random *random, size_t below)
{
    static const int32_t words[] = { -1, INT32_MIN, INT32_MAX, 1000 };
    return below == 0 || test_below(random, 8) == 0 ? words[test_below(random, 4)]
                                                    : (int32_t)test_below(random, (uint32_t)below);
}

static size_t records_of(const mesh *m, int op)
{
    return op == COLLAPSE_EDGE ? m->points : op == DELETE_FACE ? m->primitives : m->vertices;
}

static void random_faces(test_random *random, mesh *m)
{
    m->inserted = test_below(random, 5);
    m->records = 2 * m->inserted;
    for (size_t f = 0; f < m->inserted; f++) {
        size_t count = test_below(random, 5);
        m->rec[2 * f] = test_below(random, 9) ? (int32_t)m->records : random_word(random, m->records);
        m->rec[2 * f + 1] = test_below(random, 9) ? (int32_t)count : random_word(random, 6);
        for (size_t k = 0; k < count; k++) {
            bool good = m->points > 0 && test_below(random, 9);
            m->rec[m->records++] =
                good ? (int32_t)test_below(random, (uint32_t)m->points) : random_word(random, m->points);
        }
    }
}

static void random_mesh(test_random *random, mesh *m, int op)
{
    memset(m, 0, sizeof *m);
    m->points = test_below(random, MOST_POINTS + 1);
    m->primitives = test_below(random, MOST_PRIMITIVES + 1);
    m->wrap = test_below(random, 3) > 0;
    m->least = test_below(random, 5);
    for (size_t i = 0; i < m->primitives; i++) {
        m->vstart[i] = test_below(random, 9) ? (int32_t)m->vertices : random_word(random, m->vertices);
        m->vcount[i] = (int32_t)test_below(random, 5);
        size_t end = m->vertices + (size_t)m->vcount[i];
        m->vertices = end < MOST_VERTICES ? end : m->vertices;
    }
    for (size_t v = 0; v < m->vertices; v++) {
        m->pt[v] = random_word(random, m->points);
    }
    if (op == INSERT_FACE) {
        random_faces(random, m);
        return;
    }
    m->records = records_of(m, op) + test_below(random, 3);
    for (size_t k = 0; k < m->records; k++) {
        size_t below = op == SPLIT_EDGE ? 99 : op == DELETE_FACE ? 2 : op == SPLIT_VERTEX ? k + 1 : m->points;
        m->rec[k] = test_below(random, 3) == 0 ? -1 : random_word(random, below);
        if (op == SPLIT_VERTEX && test_below(random, 3) == 0) {
            m->rec[k] = (int32_t)k;
        }
    }
}

// The edits on lists.

static void add(corners *out, int32_t pt, int32_t src)
{
    assert_true(out->total < MOST_OUT);
    out->pt[out->total] = pt;
    out->src[out->total++] = src;
}

static int32_t merged(const mesh *m, int32_t point)
{
    if (point < 0 || point >= (int32_t)m->points) {
        return point;
    }
    int32_t to = m->rec[point];
    return to >= 0 && to < (int32_t)m->points ? to : point;
}

static void naive_run(const mesh *m, int op, int64_t first, int64_t count, corners *out)
{
    size_t before = out->total;
    for (int64_t v = first; v < first + count; v++) {
        bool last = v == first + count - 1;
        int64_t next = last ? first : v + 1;
        bool side = count > 1 && (!last || m->wrap);
        int32_t point = op == COLLAPSE_EDGE ? merged(m, m->pt[v]) : m->pt[v];
        if (op == COLLAPSE_EDGE && side && point == merged(m, m->pt[next])) {
            continue;
        }
        add(out, point, (int32_t)v);
        if (op == SPLIT_EDGE && side && m->rec[v] >= 0) {
            add(out, m->rec[v], (int32_t)(-1 - v));
        }
    }
    if (op == COLLAPSE_EDGE && out->total - before < m->least) {
        out->total = before;
    }
}

static void naive_face(const mesh *m, size_t f, corners *out)
{
    int64_t first = m->rec[2 * f], count = m->rec[2 * f + 1];
    bool good = first >= 0 && count > 0 && first + count <= (int64_t)m->records;
    for (int64_t k = first; good && k < first + count; k++) {
        good = m->rec[k] >= 0 && m->rec[k] < (int32_t)m->points;
    }
    for (int64_t k = first; good && k < first + count; k++) {
        add(out, m->rec[k], INT32_MIN);
    }
}

static void naive_edit(const mesh *m, int op, size_t n, corners *out)
{
    out->n = n;
    out->total = 0;
    for (size_t i = 0; i < n; i++) {
        size_t before = out->total;
        if (i < m->primitives) {
            int64_t first = m->vstart[i], count = m->vcount[i];
            bool within = first >= 0 && count > 0 && first + count <= (int64_t)m->vertices;
            if (within && !(op == DELETE_FACE && m->rec[i] != 0)) {
                naive_run(m, op, first, count, out);
            }
        } else if (op == INSERT_FACE && i < m->primitives + m->inserted) {
            naive_face(m, i - m->primitives, out);
        }
        out->cnt[i] = (int32_t)(out->total - before);
        out->off[i] = (int32_t)before;
    }
}

static void naive_split_vertex(const mesh *m, corners *out)
{
    int32_t fresh[MOST_VERTICES], made = 0;
    out->n = out->total = m->vertices;
    for (int32_t v = 0; v < (int32_t)m->vertices; v++) {
        bool leads = m->rec[v] == v;
        out->cnt[v] = leads;
        out->off[v] = made;
        fresh[v] = leads ? (int32_t)m->points + made++ : -1;
    }
    for (int32_t v = 0; v < (int32_t)m->vertices; v++) {
        int32_t leader = m->rec[v];
        bool grouped = leader >= 0 && leader < (int32_t)m->vertices && fresh[leader] >= 0;
        out->pt[v] = grouped ? fresh[leader] : m->pt[v];
        out->src[v] = v;
    }
}

static void check_edit(mr_context *context, const mesh *m, int op, corners *expected, size_t spare)
{
    kernel_run run;
    begin(&run, context, m, op, "count", expected->n);
    kernel_go_ok(&run);
    assert_int_equal(run.result.count, 1);
    assert_out(&run, "cnt", expected->cnt, expected->n);
    kernel_end(&run);
    for (size_t k = 0; k < spare; k++) {
        add(expected, -1, -1);
    }
    begin_write(&run, context, m, op, expected->n, expected->off, expected->total);
    kernel_go_ok(&run);
    assert_int_equal(run.result.count, 2);
    assert_out(&run, "o_pt", expected->pt, expected->total);
    assert_out(&run, "o_src", expected->src, expected->total);
    kernel_end(&run);
}

static void edits_are_those_of_naive_lists(void **state)
{
    test_random random = { 137 };
    for (size_t i = 0; i < test_count(15000); i++) {
        mesh m;
        corners expected;
        int op = (int)(i % OPS);
        random_mesh(&random, &m, op);
        size_t spare = test_below(&random, 3) == 0 ? test_below(&random, 4) : 0;
        if (op == SPLIT_VERTEX) {
            naive_split_vertex(&m, &expected);
        } else {
            naive_edit(&m, op, m.primitives + m.inserted + test_below(&random, 2), &expected);
        }
        check_edit(*state, &m, op, &expected, spare);
    }
}

// Off that is no prefix sum is refused, or leaves gaps that hold nothing; nothing is written past the end.
static void any_off_is_answered_within_bounds(void **state)
{
    test_random random = { 138 };
    size_t refused = 0, gaps = 0;
    for (size_t i = 0; i < test_count(4000); i++) {
        mesh m;
        corners right;
        int op = (int)(i % SPLIT_VERTEX);
        kernel_run run;
        random_mesh(&random, &m, op);
        naive_edit(&m, op, m.primitives + m.inserted, &right);
        size_t room = right.total + test_below(&random, 4);
        int32_t shift = 0;
        corners spoilt = right;
        for (size_t k = 0; k < right.n; k++) {
            shift += (int32_t)test_below(&random, 12) == 0;
            spoilt.off[k] += shift;
            if (test_below(&random, 40) == 0) {
                spoilt.off[k] = random_word(&random, 40);
            }
        }
        bool good = true;
        for (size_t k = 0; k < right.n; k++) {
            int64_t end = k + 1 < right.n ? spoilt.off[k + 1] : (int64_t)room;
            good = good && spoilt.off[k] >= 0 && spoilt.off[k] + (int64_t)right.cnt[k] <= end &&
                   spoilt.off[k] <= (int64_t)room;
        }
        begin_write(&run, *state, &m, op, right.n, spoilt.off, room);
        if (!good) {
            refused++;
            kernel_refused(&run, "binding off");
            continue;
        }
        gaps += shift > 0;
        for (size_t at = 0; at < room; at++) {
            spoilt.pt[at] = spoilt.src[at] = -1;
        }
        for (size_t k = 0; k < right.n; k++) {
            for (int32_t at = 0; at < right.cnt[k]; at++) {
                spoilt.pt[spoilt.off[k] + at] = right.pt[right.off[k] + at];
                spoilt.src[spoilt.off[k] + at] = right.src[right.off[k] + at];
            }
        }
        kernel_go_ok(&run);
        assert_out(&run, "o_pt", spoilt.pt, room);
        assert_out(&run, "o_src", spoilt.src, room);
        kernel_end(&run);
    }
    assert_true(test_scale() < 1 || (refused > 100 && gaps > 100));
}

// A torus of w by h quads, each cut in two.
enum { W = 6, H = 5, FACES = 2 * W * H, CORNERS = 3 * FACES };

static void torus(int32_t pt[CORNERS])
{
    for (int32_t y = 0; y < H; y++) {
        for (int32_t x = 0; x < W; x++) {
            int32_t right = (x + 1) % W, up = (y + 1) % H, *out = &pt[6 * (y * W + x)];
            int32_t quad[] = { y * W + x, y * W + right, up * W + right, up * W + x };
            int32_t cut[] = { quad[0], quad[1], quad[2], quad[0], quad[2], quad[3] };
            memcpy(out, cut, sizeof cut);
        }
    }
}

// Vertices less edges and faces of a mesh, each of whose sides must run once each way.
static int euler(const int32_t *pt, const int32_t *off, const int32_t *cnt, size_t faces)
{
    static int8_t runs[256][256];
    int edges = 0, points = 0, kept = 0;
    bool used[256] = { false };
    memset(runs, 0, sizeof runs);
    for (size_t f = 0; f < faces; f++) {
        kept += cnt[f] > 0;
        for (int32_t k = 0; k < cnt[f]; k++) {
            int32_t a = pt[off[f] + k], b = pt[off[f] + (k + 1) % cnt[f]];
            assert_int_equal(runs[a][b]++, 0);
            points += !used[a];
            used[a] = true;
        }
    }
    for (int a = 0; a < 256; a++) {
        for (int b = 0; b < a; b++) {
            assert_int_equal(runs[a][b], runs[b][a]);
            edges += runs[a][b];
        }
    }
    return points - edges + kept;
}

static size_t prefix(const int32_t *cnt, int32_t *off, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        off[i] = sum;
        sum += cnt[i];
    }
    return (size_t)sum;
}

// Runs both stages of an edit of the torus and answers Euler's number of what comes out.
static int edit_torus(mr_context *context, int op, const int32_t *rec, size_t records, size_t *corners_out)
{
    int32_t pt[CORNERS], vstart[FACES], vcount[FACES], cnt[FACES], off[FACES];
    kernel_run run;
    torus(pt);
    for (int32_t f = 0; f < FACES; f++) {
        vstart[f] = 3 * f;
        vcount[f] = 3;
    }
    for (int stage = 0; stage < 2; stage++) {
        kernel_begin(&run, context, "topology", FACES, -1);
        kernel_choose(&run, "OP", op_names[op]);
        kernel_choose(&run, "STAGE", stage == 0 ? "count" : "write");
        kernel_bind(&run, "pt", pt, CORNERS);
        kernel_bind(&run, "vstart", vstart, FACES);
        kernel_bind(&run, "vcount", vcount, FACES);
        kernel_bind(&run, "rec", rec, records);
        kernel_param(&run, "np", FACES);
        kernel_param(&run, "nv", CORNERS);
        kernel_param(&run, "npts", W * H);
        if (stage == 1) {
            kernel_bind(&run, "off", off, FACES);
            kernel_bind_number(&run, "nv_out", *corners_out);
        }
        kernel_go_ok(&run);
        if (stage == 0) {
            memcpy(cnt, kernel_out(&run, "cnt"), sizeof cnt);
            *corners_out = prefix(cnt, off, FACES);
            kernel_end(&run);
        }
    }
    int number = euler(kernel_out(&run, "o_pt"), off, cnt, FACES);
    kernel_end(&run);
    return number;
}

static void split_edges_of_a_torus_leave_it_a_torus(void **state)
{
    test_random random = { 139 };
    int32_t pt[CORNERS], rec[CORNERS];
    torus(pt);
    for (size_t i = 0; i < test_count(200); i++) {
        int32_t point_of[W * H][W * H], fresh = W * H;
        size_t splits = 0, out;
        memset(point_of, 0, sizeof point_of);
        for (size_t v = 0; v < CORNERS; v++) {
            int32_t a = pt[v], b = pt[v % 3 == 2 ? v - 2 : v + 1];
            int32_t *word = a < b ? &point_of[a][b] : &point_of[b][a];
            *word = *word ? *word : test_below(&random, 3) == 0 && fresh < 256 ? fresh++ : -1;
            rec[v] = *word;
            splits += *word > 0;
        }
        assert_int_equal(edit_torus(*state, SPLIT_EDGE, rec, CORNERS, &out), 0);
        assert_int_equal(out, CORNERS + splits);
    }
}

// One edge at a time: each has two faces, and its ends no neighbours in common but those faces' own.
static void a_collapsed_edge_of_a_torus_takes_its_two_faces(void **state)
{
    int32_t pt[CORNERS], rec[W * H];
    torus(pt);
    for (size_t v = 0; v < CORNERS; v++) {
        size_t out;
        for (int32_t p = 0; p < W * H; p++) {
            rec[p] = p;
        }
        rec[pt[v]] = pt[v % 3 == 2 ? v - 2 : v + 1];
        assert_int_equal(edit_torus(*state, COLLAPSE_EDGE, rec, W * H, &out), 0);
        assert_int_equal(out, CORNERS - 6);
    }
}

static void a_quad_split_collapsed_and_grown(void **state)
{
    // A quad and a triangle beside it; the side 1-2 is split by 9, then 1 becomes 2, then a face is added.
    mesh m = { .vertices = 7,
               .primitives = 2,
               .points = 5,
               .wrap = 1,
               .least = 3,
               .pt = { 0, 1, 2, 3, 2, 1, 4 },
               .vstart = { 0, 4 },
               .vcount = { 4, 3 } };
    corners split = { .n = 2,
                      .total = 9,
                      .cnt = { 5, 4 },
                      .off = { 0, 5 },
                      .pt = { 0, 1, 9, 2, 3, 2, 9, 1, 4 },
                      .src = { 0, 1, ~1, 2, 3, 4, ~4, 5, 6 } };
    m.records = 7;
    memcpy(m.rec, (int32_t[]){ -1, 9, -1, -1, 9, -1, -1 }, 28);
    check_edit(*state, &m, SPLIT_EDGE, &split, 0);
    corners fell = {
        .n = 2, .total = 3, .cnt = { 3, 0 }, .off = { 0, 3 }, .pt = { 0, 2, 3 }, .src = { 0, 2, 3 }
    };
    m.records = 5;
    memcpy(m.rec, (int32_t[]){ 0, 2, 2, 3, 4 }, 20);
    check_edit(*state, &m, COLLAPSE_EDGE, &fell, 0);
    corners grown = { .n = 3,
                      .total = 10,
                      .cnt = { 4, 3, 3 },
                      .off = { 0, 4, 7 },
                      .pt = { 0, 1, 2, 3, 2, 1, 4, 4, 3, 2 },
                      .src = { 0, 1, 2, 3, 4, 5, 6, INT32_MIN, INT32_MIN, INT32_MIN } };
    m.records = 5;
    m.inserted = 1;
    memcpy(m.rec, (int32_t[]){ 2, 3, 4, 3, 2 }, 20);
    check_edit(*state, &m, INSERT_FACE, &grown, 0);
    // The triangle's corners at 1 and 2 get points of their own.
    corners parted = { .n = 7,
                       .total = 7,
                       .cnt = { 0, 0, 0, 0, 1, 1, 0 },
                       .off = { 0, 0, 0, 0, 0, 1, 2 },
                       .pt = { 0, 1, 2, 3, 5, 6, 4 },
                       .src = { 0, 1, 2, 3, 4, 5, 6 } };
    m.records = 7;
    memcpy(m.rec, (int32_t[]){ -1, -1, -1, -1, 4, 5, -1 }, 28);
    check_edit(*state, &m, SPLIT_VERTEX, &parted, 0);
}

static void what_is_missing_or_short_is_refused(void **state)
{
    mesh m = { .vertices = 3,
               .primitives = 1,
               .points = 3,
               .wrap = 1,
               .least = 3,
               .pt = { 0, 1, 2 },
               .vcount = { 3 },
               .records = 2 };
    static const char *const says[] = { "asks for 3", "asks for 3", "asks for 4", "asks for 1",
                                        "asks for 3" };
    static const int32_t off[] = { 0, 3, 3 }, high[] = { INT32_MAX - 3, 0, 0 };
    kernel_run run;
    m.inserted = 2;
    for (int op = 0; op < OPS; op++) {
        m.records = op == DELETE_FACE ? 0 : 2;
        begin(&run, *state, &m, op, "count", 1);
        kernel_refused(&run, says[op]);
    }
    m.records = 3;
    begin_write(&run, *state, &m, DELETE_FACE, 1, off, 2);
    kernel_refused(&run, "room for 2 vertices; it has 3");
    begin(&run, *state, &m, DELETE_FACE, "write", 1);
    kernel_bind(&run, "off", off, 1);
    kernel_refused(&run, "nv_out");
    begin(&run, *state, &m, DELETE_FACE, "count", 1);
    kernel_bind(&run, "off", off, 1);
    kernel_refused(&run, "off is of another variant");
    begin_write(&run, *state, &m, SPLIT_VERTEX, 3, high, 3);
    kernel_refused(&run, "numbers none");
    kernel_begin(&run, *state, "topology", 1, -1);
    kernel_refused(&run, "param np must be given");
    begin(&run, *state, &m, DELETE_FACE, "count", 1);
    run.uniforms[0].value[0] = 4;
    kernel_refused(&run, "binding vstart holds 1 elements");
}

// Many primitives, over many runs of the pool.
static void threads_change_nothing(void **state)
{
    enum { N = 40000 };
    int32_t *words = malloc((size_t)N * 12 * sizeof *words);
    int32_t *pt = words, *vstart = pt + 3 * N, *vcount = vstart + N, *rec = vcount + N, *off = rec + 3 * N;
    for (int32_t i = 0; i < N; i++) {
        vstart[i] = 3 * i;
        vcount[i] = 3;
        off[i] = 3 * i + i / 3;
        for (int32_t k = 0; k < 3; k++) {
            pt[3 * i + k] = (3 * i + k) % 5000;
            rec[3 * i + k] = i % 3 == 2 && k == 1 ? i : -1; // a third of the faces are split once
        }
    }
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        kernel_run run;
        for (int stage = 0; stage < 2; stage++) {
            kernel_begin(&run, context, "topology", N, -1);
            kernel_choose(&run, "STAGE", stage == 0 ? "count" : "write");
            kernel_bind(&run, "pt", pt, 3 * N);
            kernel_bind(&run, "vstart", vstart, N);
            kernel_bind(&run, "vcount", vcount, N);
            kernel_bind(&run, "rec", rec, 3 * N);
            kernel_param(&run, "np", N);
            kernel_param(&run, "nv", 3 * N);
            kernel_param(&run, "npts", 5000);
            if (stage == 1) {
                kernel_bind(&run, "off", off, N);
                kernel_bind_number(&run, "nv_out", 3 * N + N / 3);
            }
            kernel_go_ok(&run);
            for (int32_t i = 0; i < N && stage == 0; i++) {
                assert_int_equal(kernel_out(&run, "cnt")[i], i % 3 == 2 ? 4 : 3);
            }
            for (int32_t i = 0; i < N && stage == 1; i++) {
                const int32_t *o_pt = &kernel_out(&run, "o_pt")[off[i]],
                              *o_src = &kernel_out(&run, "o_src")[off[i]];
                assert_int_equal(o_pt[1], pt[3 * i + 1]);
                assert_int_equal(o_src[1], 3 * i + 1);
                assert_int_equal(o_pt[2], i % 3 == 2 ? i : pt[3 * i + 2]);
                assert_int_equal(o_src[2], i % 3 == 2 ? ~(3 * i + 1) : 3 * i + 2);
            }
            kernel_end(&run);
        }
        test_context_end(context);
    }
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(edits_are_those_of_naive_lists, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(any_off_is_answered_within_bounds, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(split_edges_of_a_torus_leave_it_a_torus, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_collapsed_edge_of_a_torus_takes_its_two_faces, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(a_quad_split_collapsed_and_grown, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(what_is_missing_or_short_is_refused, test_setup, test_teardown),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
