// kernel/winding.isa.c: the solid angles of triangles about eight points.

#include "kernel/winding.h"

#include "base/isa.h"

#define LANES MR_WINDING_LANES

enum { RENEW = 256 }; // each factor shortens the product, by less than 2^-0.5

// One triangle, (la lb lc + a.b lc + b.c la + c.a lb) + i a.(b x c) for each point, made of length 1 or less and
// multiplied in. Where both angles lie in one half of the plane and their sum does not, a turn is counted.
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
        double size = __builtin_fabs(real) + __builtin_fabs(imaginary);
        double scale = size > 0.0 ? 1.0 / size : 0.0;
        real = size > 0.0 ? real * scale : 1.0;
        imaginary = imaginary * scale;
        double old_real = lanes->real[i], old_imaginary = lanes->imaginary[i];
        double next_real = old_real * real - old_imaginary * imaginary;
        double next_imaginary = old_real * imaginary + old_imaginary * real;
        bool over = next_imaginary < 0.0 || (next_imaginary == 0.0 && next_real > 0.0 && old_real < 0.0);
        bool under = next_imaginary > 0.0 || (next_imaginary == 0.0 && next_real < 0.0);
        bool up = old_imaginary >= 0.0 && imaginary >= 0.0, down = old_imaginary < 0.0 && imaginary < 0.0;
        lanes->turns[i] += up && over ? 1.0 : down && under ? -1.0 : 0.0;
        lanes->real[i] = next_real;
        lanes->imaginary[i] = next_imaginary;
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

const mr_winding_kernels MR_ISA(mr_winding_kernels) = { add };
