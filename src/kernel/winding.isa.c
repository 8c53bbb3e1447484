// kernel/winding.isa.c: the solid angles of triangles about eight points.

#include "kernel/winding.h"

#include "base/isa.h"

#define LANES MR_WINDING_LANES

enum { RENEW = 256 }; // each factor shortens the product, by less than 2^-0.5

// A half angle's complex number, made of length 1 or less and multiplied in. Where both angles lie in one half of the
// plane and their sum does not, a turn is counted.
static inline void multiply_in(mr_winding_lanes *restrict lanes, int i, double real, double imaginary)
{
    double size = __builtin_fabs(real) + __builtin_fabs(imaginary);
    double nothing = size > 0.0 ? 0.0 : 1.0, scale = 1.0 / (size + nothing);
    real = real * scale + nothing;
    imaginary = imaginary * scale;
    double old_real = lanes->real[i], old_imaginary = lanes->imaginary[i];
    double next_real = old_real * real - old_imaginary * imaginary;
    double next_imaginary = old_real * imaginary + old_imaginary * real;
    // Selects of numbers, not of truths: those the compiler would branch on.
    double full = next_real > 0.0 ? (old_real < 0.0 ? 1.0 : 0.0) : 0.0, half = next_real < 0.0 ? 1.0 : 0.0;
    double over = next_imaginary < 0.0 ? 1.0 : next_imaginary == 0.0 ? full : 0.0;
    double under = next_imaginary > 0.0 ? 1.0 : next_imaginary == 0.0 ? half : 0.0;
    double up = old_imaginary >= 0.0 ? over : 0.0, down = old_imaginary < 0.0 ? under : 0.0;
    lanes->turns[i] += (imaginary >= 0.0 ? up : 0.0) - (imaginary < 0.0 ? down : 0.0);
    lanes->real[i] = next_real;
    lanes->imaginary[i] = next_imaginary;
}

// One triangle: (la lb lc + a.b lc + b.c la + c.a lb) + i a.(b x c).
static inline void add_triangle(mr_winding_lanes *restrict lanes, const float *triangle)
{
    const double a0 = (double)triangle[0], a1 = (double)triangle[1], a2 = (double)triangle[2];
    const double b0 = (double)triangle[3], b1 = (double)triangle[4], b2 = (double)triangle[5];
    const double c0 = (double)triangle[6], c1 = (double)triangle[7], c2 = (double)triangle[8];
    for (int i = 0; i < LANES; i++) {
        double ax = a0 - lanes->x[i], ay = a1 - lanes->y[i], az = a2 - lanes->z[i];
        double bx = b0 - lanes->x[i], by = b1 - lanes->y[i], bz = b2 - lanes->z[i];
        double cx = c0 - lanes->x[i], cy = c1 - lanes->y[i], cz = c2 - lanes->z[i];
        double la = __builtin_sqrt((ax * ax + ay * ay) + az * az);
        double lb = __builtin_sqrt((bx * bx + by * by) + bz * bz);
        double lc = __builtin_sqrt((cx * cx + cy * cy) + cz * cz);
        double ab = (ax * bx + ay * by) + az * bz;
        double bc = (bx * cx + by * cy) + bz * cz;
        double ca = (cx * ax + cy * ay) + cz * az;
        double real = ((la * lb * lc + ab * lc) + bc * la) + ca * lb;
        double imaginary = (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz)) + az * (bx * cy - by * cx);
        multiply_in(lanes, i, real, imaginary);
    }
}

// Whether the segment from a to b comes within `close` of 0.
static inline bool is_close(double ax, double ay, double az, double bx, double by, double bz, double close)
{
    double ex = bx - ax, ey = by - ay, ez = bz - az;
    double square = (ex * ex + ey * ey) + ez * ez, along = -((ax * ex + ay * ey) + az * ez);
    double part = square > 0.0 ? along / square : 0.0;
    part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    double qx = ax + part * ex, qy = ay + part * ey, qz = az + part * ez;
    return (qx * qx + qy * qy) + qz * qz <= close * close;
}

// The strip an edge sweeps on its way along d without end, a triangle whose third corner is the direction d:
// (la lb + a.b + b.d la + d.a lb) + i a.(b x d), d of length 1. Of a point as good as on the strip, or before it, which side
// it is on is a matter of rounding.
static inline void add_strip(mr_winding_lanes *restrict lanes, const float *edge, const double *d)
{
    const double a0 = (double)edge[0], a1 = (double)edge[1], a2 = (double)edge[2];
    const double b0 = (double)edge[3], b1 = (double)edge[4], b2 = (double)edge[5];
    for (int i = 0; i < LANES; i++) {
        double ax = a0 - lanes->x[i], ay = a1 - lanes->y[i], az = a2 - lanes->z[i];
        double bx = b0 - lanes->x[i], by = b1 - lanes->y[i], bz = b2 - lanes->z[i];
        double la = __builtin_sqrt((ax * ax + ay * ay) + az * az);
        double lb = __builtin_sqrt((bx * bx + by * by) + bz * bz);
        double ab = (ax * bx + ay * by) + az * bz;
        double bd = (bx * d[0] + by * d[1]) + bz * d[2], da = (ax * d[0] + ay * d[1]) + az * d[2];
        double real = ((la * lb + ab) + bd * la) + da * lb;
        double imaginary =
            (ax * (by * d[2] - bz * d[1]) + ay * (bz * d[0] - bx * d[2])) + az * (bx * d[1] - by * d[0]);
        lanes->doubt[i] = is_close(ax - da * d[0], ay - da * d[1], az - da * d[2], bx - bd * d[0],
                                   by - bd * d[1], bz - bd * d[2], lanes->close[i])
                              ? 1.0
                              : lanes->doubt[i];
        multiply_in(lanes, i, real, imaginary);
    }
}

static void renew(mr_winding_lanes *lanes)
{
    for (int i = 0; i < LANES; i++) {
        double size = __builtin_fabs(lanes->real[i]) + __builtin_fabs(lanes->imaginary[i]);
        lanes->real[i] /= size;
        lanes->imaginary[i] /= size;
    }
}

static void add(mr_winding_lanes *lanes, const float *triangles, size_t count)
{
    for (size_t begin = 0; begin < count; begin += RENEW) {
        size_t end = count - begin < RENEW ? count : begin + RENEW;
        for (size_t k = begin; k < end; k++) {
            add_triangle(lanes, triangles + 9 * k);
        }
        renew(lanes);
    }
}

static void sweep(mr_winding_lanes *lanes, const float *edges, size_t count, const double direction[3])
{
    for (size_t begin = 0; begin < count; begin += RENEW) {
        size_t end = count - begin < RENEW ? count : begin + RENEW;
        for (size_t k = begin; k < end; k++) {
            add_strip(lanes, edges + 6 * k, direction);
        }
        renew(lanes);
    }
}

const mr_winding_kernels MR_ISA(mr_winding_kernels) = { add, sweep };
