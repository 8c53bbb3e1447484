// num/predicates.c: signs of determinants: a filter in f64, and expansions for what the filter lets pass.

#include "num/predicates.h"

#include <stddef.h>

typedef struct pair {
    double high, low; // high is the rounded answer, low what rounding took away, exactly
} pair;

static inline pair two_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (pair){ sum, (a - (sum - part)) + (b - part) };
}

// Veltkamp's split: two halves of at most 26 bits. No operand here comes near the end of the range, where it overflows.
static inline pair split(double a)
{
    double c = 0x1.0000002p27 * a, high = c - (c - a);
    return (pair){ high, a - high };
}

static inline pair two_product(double a, double b)
{
    double product = a * b;
    pair s = split(a), t = split(b);
    return (pair){ product,
                   s.low * t.low - (((product - s.high * t.high) - s.low * t.high) - s.high * t.low) };
}

void mr_exact_add(mr_exact *sum, double value)
{
    int kept = 0;
    for (int i = 0; i < sum->count; i++) {
        pair p = two_sum(value, sum->part[i]);
        if (p.low != 0.0) {
            sum->part[kept++] = p.low;
        }
        value = p.high;
    }
    if (value != 0.0 && kept < MR_EXACT_PARTS) {
        sum->part[kept++] = value;
    }
    sum->count = kept;
}

void mr_exact_add_product(mr_exact *sum, double x, double y, double z)
{
    if (x == 0.0 || y == 0.0 || z == 0.0) {
        return;
    }
    pair xy = two_product(x, y), high = two_product(xy.high, z);
    if (xy.low != 0.0) {
        pair low = two_product(xy.low, z);
        mr_exact_add(sum, low.low);
        mr_exact_add(sum, low.high);
    }
    if (high.low != 0.0) {
        mr_exact_add(sum, high.low);
    }
    mr_exact_add(sum, high.high);
}

void mr_exact_add_multiple(mr_exact *sum, const mr_exact *a, const mr_exact *b)
{
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < b->count; j++) {
            pair p = two_product(a->part[i], b->part[j]);
            if (p.low != 0.0) {
                mr_exact_add(sum, p.low);
            }
            mr_exact_add(sum, p.high);
        }
    }
}

double mr_exact_value(const mr_exact *sum)
{
    double value = 0.0;
    for (int i = 0; i < sum->count; i++) {
        value += sum->part[i];
    }
    return value;
}

void mr_orient2d_exact(const float a[2], const float b[2], const float c[2], mr_exact *area)
{
    // a x b + b x c + c x a: each product of two f32 is exact in f64.
    const float *points[3] = { a, b, c };
    area->count = 0;
    for (int i = 0; i < 3; i++) {
        const float *p = points[i], *q = points[(i + 1) % 3];
        mr_exact_add(area, (double)p[0] * (double)q[1]);
        mr_exact_add(area, -((double)p[1] * (double)q[0]));
    }
}

int mr_orient2d(const float a[2], const float b[2], const float c[2])
{
    double left = ((double)a[0] - (double)c[0]) * ((double)b[1] - (double)c[1]);
    double right = ((double)a[1] - (double)c[1]) * ((double)b[0] - (double)c[0]);
    double area = left - right, size = __builtin_fabs(left) + __builtin_fabs(right);
    // Shewchuk's ccwerrboundA, (3 + 16 u) u.
    if (__builtin_fabs(area) > 3.3306690738754716e-16 * size) {
        return area > 0.0 ? 1 : -1;
    }
    mr_exact exact;
    mr_orient2d_exact(a, b, c, &exact);
    return mr_exact_sign(&exact);
}

// Whether a - b is an f64, and what it is.
static inline bool exact_difference(double a, double b, double *difference)
{
    pair p = two_sum(a, -b);
    *difference = p.high;
    return p.low == 0.0;
}

static void add_determinant3(mr_exact *sum, const double *a, const double *b, const double *c, double sign)
{
    static const int order[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
                                     { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
    for (int i = 0; i < 6; i++) {
        double signed_a = (i < 3) == (sign > 0.0) ? a[order[i][0]] : -a[order[i][0]];
        mr_exact_add_product(sum, signed_a, b[order[i][1]], c[order[i][2]]);
    }
}

// The rows of points as seen from the last of them, which leaves that one alone in the w column: a quarter of the work.
// False where a difference is no f64.
static bool add_from_last_point(mr_exact *sum, const double rows[4][4], int last, double sign)
{
    double seen[4][3];
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            seen[i][k] = rows[i][k];
            if (rows[i][3] != 0.0 && !exact_difference(rows[i][k], rows[last][k], &seen[i][k])) {
                return false;
            }
        }
    }
    const double *others[3];
    for (int i = 0, at = 0; i < 4; i++) {
        if (i != last) {
            others[at++] = seen[i];
        }
    }
    add_determinant3(sum, others[0], others[1], others[2], last % 2 ? sign : -sign);
    return true;
}

void mr_exact_add_determinant(mr_exact *sum, const double rows[4][4], double sign)
{
    int last = -1;
    for (int i = 0; i < 4; i++) {
        last = rows[i][3] != 0.0 ? i : last;
    }
    if (last < 0 || add_from_last_point(sum, rows, last, sign)) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        if (rows[i][3] != 0.0) {
            const double *a = rows[i == 0], *b = rows[i <= 1 ? 2 : 1], *c = rows[i <= 2 ? 3 : 2];
            add_determinant3(sum, a, b, c, i % 2 ? sign : -sign);
        }
    }
}

void mr_orient3d_exact(const float a[3], const float b[3], const float c[3], const float d[3],
                       mr_exact *volume)
{
    const float *points[4] = { a, b, c, d };
    double rows[4][4];
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            rows[i][k] = (double)points[i][k];
        }
        rows[i][3] = 1.0;
    }
    volume->count = 0;
    mr_exact_add_determinant(volume, rows, -1.0);
}

int mr_orient3d(const float a[3], const float b[3], const float c[3], const float d[3])
{
    double ax = (double)a[0] - (double)d[0], ay = (double)a[1] - (double)d[1],
           az = (double)a[2] - (double)d[2];
    double bx = (double)b[0] - (double)d[0], by = (double)b[1] - (double)d[1],
           bz = (double)b[2] - (double)d[2];
    double cx = (double)c[0] - (double)d[0], cy = (double)c[1] - (double)d[1],
           cz = (double)c[2] - (double)d[2];
    double bc = bx * cy, cb = cx * by, ca = cx * ay, ac = ax * cy, ab = ax * by, ba = bx * ay;
    double volume = az * (bc - cb) + bz * (ca - ac) + cz * (ab - ba);
    double size = (__builtin_fabs(bc) + __builtin_fabs(cb)) * __builtin_fabs(az) +
                  (__builtin_fabs(ca) + __builtin_fabs(ac)) * __builtin_fabs(bz) +
                  (__builtin_fabs(ab) + __builtin_fabs(ba)) * __builtin_fabs(cz);
    // Shewchuk's o3derrboundA, (7 + 56 u) u. His determinant is positive below the plane.
    if (__builtin_fabs(volume) > 7.7715611723761027e-16 * size) {
        return volume < 0.0 ? 1 : -1;
    }
    mr_exact exact;
    mr_orient3d_exact(a, b, c, d, &exact);
    return mr_exact_sign(&exact);
}
