// kernel/boolean_sign.c: exact signs of volumes and areas of points that are moved by infinitely small amounts.
//
// A point is p + e n, and B is shifted by (x, y, z) besides, with 1 >> e >> e^2 >> ... >> x >> x e >> ... >> y >> ... >> z.
// A volume is a determinant, linear in each row, so its terms are determinants too: in the term of e^k, k of the rows are
// (n, 0) in place of (p, 1); in those of x, y or z the rows' coordinate is 1 for points of B and 0 for others (a product
// of two shifts has two equal columns and is 0). The first term that is not 0 has the sign.

#include "kernel/boolean_state.h"

#include "num/predicates.h"

typedef struct row {
    double at[3], along[3];
    bool moved, shifted; // of a mesh; of B
    double w;
} row;

enum { SHIFTS = 4 }; // none, along x, y, z

static row row_of(boolean_corner corner, bool flat)
{
    row r = { .moved = true, .shifted = corner.shifted, .w = 1.0 };
    for (int k = 0; k < (flat ? 2 : 3); k++) {
        r.at[k] = (double)corner.at[k];
        r.along[k] = (double)corner.along[k];
    }
    return r;
}

// The term of e^order and of one shift. Of the sign of mr_orient3d.
static void term_of(const row rows[4], int shift, int order, mr_exact *term)
{
    term->count = 0;
    for (int chosen = 0; chosen < 16; chosen++) {
        double entries[4][4];
        bool fits = __builtin_popcount((unsigned)chosen) == order;
        for (int i = 0; i < 4; i++) {
            bool along = chosen >> i & 1;
            fits = fits && (rows[i].moved || !along);
            for (int k = 0; k < 3; k++) {
                entries[i][k] = along ? rows[i].along[k] : rows[i].at[k];
            }
            if (shift > 0) {
                entries[i][shift - 1] = rows[i].shifted ? 1.0 : 0.0;
            }
            entries[i][3] = along ? 0.0 : rows[i].w;
        }
        if (fits) {
            mr_exact_add_determinant(term, (const double(*)[4])entries, -1.0);
        }
    }
}

static int moved_of(const row rows[4])
{
    return rows[0].moved + rows[1].moved + rows[2].moved + rows[3].moved;
}

static int sign_of(const row rows[4], bool skip_first)
{
    mr_exact term;
    int moved = moved_of(rows);
    for (int shift = 0; shift < SHIFTS; shift++) {
        for (int order = 0; order <= moved; order++) {
            if (skip_first && shift == 0 && order == 0) {
                continue;
            }
            term_of(rows, shift, order, &term);
            if (term.count > 0) {
                return mr_exact_sign(&term);
            }
        }
    }
    return 0;
}

int boolean_volume(const boolean_corner p[4])
{
    int sign = mr_orient3d(p[0].at, p[1].at, p[2].at, p[3].at);
    if (sign != 0) {
        return sign;
    }
    row rows[4];
    for (int i = 0; i < 4; i++) {
        rows[i] = row_of(p[i], false);
    }
    return sign_of(rows, true);
}

int boolean_area(const boolean_corner p[3])
{
    int sign = mr_orient2d(p[0].at, p[1].at, p[2].at);
    if (sign != 0) {
        return sign;
    }
    // A fourth row along z leaves the determinant of x, y and w, and is part of neither mesh.
    row rows[4] = { row_of(p[0], true), row_of(p[1], true), row_of(p[2], true), { .at = { 0, 0, 1 } } };
    return sign_of(rows, true);
}

double boolean_fraction(const boolean_corner p[3], boolean_corner lo, boolean_corner hi)
{
    row rows[2][4];
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < 3; i++) {
            rows[end][i] = row_of(p[i], false);
        }
        rows[end][3] = row_of(end ? hi : lo, false);
    }
    int moved = moved_of(rows[0]);
    for (int shift = 0; shift < SHIFTS; shift++) {
        for (int order = 0; order <= moved; order++) {
            mr_exact near, far;
            term_of(rows[0], shift, order, &near);
            term_of(rows[1], shift, order, &far);
            if (near.count + far.count > 0) {
                double n = __builtin_fabs(mr_exact_value(&near)), f = __builtin_fabs(mr_exact_value(&far));
                return n / (n + f);
            }
        }
    }
    return 0.5;
}
