// num/predicates.h: geometric decisions that are never wrong: the signs of determinants of f32 coordinates.
//
// A determinant is worked in f64 first; where its size does not vouch for its sign it is worked again as an expansion, a
// sum of f64 parts that is exact (Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast robust geometric
// predicates", section 2). A product of three f32 is two f64 parts and never leaves the range of f64, so any finite
// coordinates will do, denormals included. Of NaN and infinities the answer is some sign, without a fault.
//
// Every function is pure and the same on every machine: no fused multiply, round to nearest.

#ifndef MARRAM_NUM_PREDICATES_H
#define MARRAM_NUM_PREDICATES_H

#include <stdbool.h>
#include <stdint.h>

// An exact sum of f64: its parts do not overlap, the least first, none of them 0. Zero has no parts. No more than
// MR_EXACT_PARTS additions may be made to one.
enum { MR_EXACT_PARTS = 320 };
typedef struct mr_exact {
    int count;
    double part[MR_EXACT_PARTS];
} mr_exact;

void mr_exact_add(mr_exact *sum, double value);
// Adds x y z. x y, and the two parts of the whole product, must be in the range of f64: products of three f32, of their
// sums and differences, are.
void mr_exact_add_product(mr_exact *sum, double x, double y, double z);
// Adds the product of two sums. The parts of a times those of b, twice, must fit MR_EXACT_PARTS.
void mr_exact_add_multiple(mr_exact *sum, const mr_exact *a, const mr_exact *b);

static inline int mr_exact_sign(const mr_exact *sum)
{
    double top = sum->count ? sum->part[sum->count - 1] : 0.0;
    return (top > 0.0) - (top < 0.0);
}

// The sum in f64, with a relative error below 2^-51.
double mr_exact_value(const mr_exact *sum);

// 1 where a, b, c turn left (counterclockwise, x to the right and y up), -1 where they turn right, 0 on one line.
int mr_orient2d(const float a[2], const float b[2], const float c[2]);

// 1 where d is on the side of the plane of a, b, c from which they are seen turning left (the outer side of a face wound
// counterclockwise), -1 on the other, 0 on the plane.
int mr_orient3d(const float a[3], const float b[3], const float c[3], const float d[3]);

// The exact determinants whose signs those are: twice the area of the triangle, six times the volume of the
// tetrahedron.
void mr_orient2d_exact(const float a[2], const float b[2], const float c[2], mr_exact *area);
void mr_orient3d_exact(const float a[3], const float b[3], const float c[3], const float d[3],
                       mr_exact *volume);

// Adds the determinant of a matrix of four rows (x, y, z, w) to a sum, times sign: every entry the value of an f32, w 0
// or 1. The determinant of (a, 1) (b, 1) (c, 1) (d, 1) is minus the volume of mr_orient3d. At most 48 additions.
void mr_exact_add_determinant(mr_exact *sum, const double rows[4][4], double sign);

#endif
