// num/vector.h: small vectors, quaternions and matrices of f32.
//
// Every operation rounds once, in the order written, and none is fused. +y is up and turns are right-handed; a matrix is
// column-major, as in glTF: m[4 * column + row], and moves column vectors.

#ifndef MARRAM_NUM_VECTOR_H
#define MARRAM_NUM_VECTOR_H

#include "num/exact.h"

typedef struct mr_vec2 {
    float x, y;
} mr_vec2;
typedef struct mr_vec3 {
    float x, y, z;
} mr_vec3;
typedef struct mr_vec4 {
    float x, y, z, w;
} mr_vec4;
typedef struct mr_quaternion {
    float x, y, z, w; // w is the real part
} mr_quaternion;
typedef struct mr_mat4 {
    float m[16];
} mr_mat4;

static inline mr_vec2 mr_vec2_add(mr_vec2 a, mr_vec2 b)
{
    return (mr_vec2){ a.x + b.x, a.y + b.y };
}
static inline mr_vec2 mr_vec2_sub(mr_vec2 a, mr_vec2 b)
{
    return (mr_vec2){ a.x - b.x, a.y - b.y };
}
static inline mr_vec2 mr_vec2_scale(mr_vec2 a, float s)
{
    return (mr_vec2){ a.x * s, a.y * s };
}
static inline float mr_vec2_dot(mr_vec2 a, mr_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}
static inline float mr_vec2_length(mr_vec2 a)
{
    return mr_f32_sqrt(mr_vec2_dot(a, a));
}
// A vector of length 0 stays as it is.
static inline mr_vec2 mr_vec2_normalize(mr_vec2 a)
{
    float length = mr_vec2_length(a);
    return length > 0.0f ? (mr_vec2){ a.x / length, a.y / length } : a;
}

static inline mr_vec3 mr_vec3_add(mr_vec3 a, mr_vec3 b)
{
    return (mr_vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}
static inline mr_vec3 mr_vec3_sub(mr_vec3 a, mr_vec3 b)
{
    return (mr_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}
static inline mr_vec3 mr_vec3_scale(mr_vec3 a, float s)
{
    return (mr_vec3){ a.x * s, a.y * s, a.z * s };
}
static inline mr_vec3 mr_vec3_multiply(mr_vec3 a, mr_vec3 b)
{
    return (mr_vec3){ a.x * b.x, a.y * b.y, a.z * b.z };
}
static inline float mr_vec3_dot(mr_vec3 a, mr_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline mr_vec3 mr_vec3_cross(mr_vec3 a, mr_vec3 b)
{
    return (mr_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
static inline float mr_vec3_length(mr_vec3 a)
{
    return mr_f32_sqrt(mr_vec3_dot(a, a));
}
static inline mr_vec3 mr_vec3_normalize(mr_vec3 a)
{
    float length = mr_vec3_length(a);
    return length > 0.0f ? (mr_vec3){ a.x / length, a.y / length, a.z / length } : a;
}
// a + (b - a) * t
static inline mr_vec3 mr_vec3_mix(mr_vec3 a, mr_vec3 b, float t)
{
    return mr_vec3_add(a, mr_vec3_scale(mr_vec3_sub(b, a), t));
}

static inline mr_vec4 mr_vec4_add(mr_vec4 a, mr_vec4 b)
{
    return (mr_vec4){ a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w };
}
static inline mr_vec4 mr_vec4_sub(mr_vec4 a, mr_vec4 b)
{
    return (mr_vec4){ a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w };
}
static inline mr_vec4 mr_vec4_scale(mr_vec4 a, float s)
{
    return (mr_vec4){ a.x * s, a.y * s, a.z * s, a.w * s };
}
static inline float mr_vec4_dot(mr_vec4 a, mr_vec4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
static inline float mr_vec4_length(mr_vec4 a)
{
    return mr_f32_sqrt(mr_vec4_dot(a, a));
}
static inline mr_vec4 mr_vec4_normalize(mr_vec4 a)
{
    float length = mr_vec4_length(a);
    return length > 0.0f ? (mr_vec4){ a.x / length, a.y / length, a.z / length, a.w / length } : a;
}

// The turn by an angle about +y, in radians.
static inline mr_quaternion mr_quaternion_about_y(float angle)
{
    float sine, cosine;
    mr_f32_sincos(0.5f * angle, &sine, &cosine);
    return (mr_quaternion){ 0.0f, sine, 0.0f, cosine };
}
// The turn by an angle about an axis of length 1.
static inline mr_quaternion mr_quaternion_about(mr_vec3 axis, float angle)
{
    float sine, cosine;
    mr_f32_sincos(0.5f * angle, &sine, &cosine);
    return (mr_quaternion){ axis.x * sine, axis.y * sine, axis.z * sine, cosine };
}
// First b, then a.
static inline mr_quaternion mr_quaternion_multiply(mr_quaternion a, mr_quaternion b)
{
    return (mr_quaternion){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}
// v + 2 w (q x v) + 2 q x (q x v), for q of length 1.
static inline mr_vec3 mr_quaternion_rotate(mr_quaternion q, mr_vec3 v)
{
    mr_vec3 axis = { q.x, q.y, q.z };
    mr_vec3 t = mr_vec3_scale(mr_vec3_cross(axis, v), 2.0f);
    return mr_vec3_add(mr_vec3_add(v, mr_vec3_scale(t, q.w)), mr_vec3_cross(axis, t));
}

static inline mr_mat4 mr_mat4_identity(void)
{
    return (mr_mat4){ { [0] = 1.0f, [5] = 1.0f, [10] = 1.0f, [15] = 1.0f } };
}
// First b, then a.
static inline mr_mat4 mr_mat4_multiply(const mr_mat4 *a, const mr_mat4 *b)
{
    mr_mat4 out;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            const float *c = b->m + 4 * column;
            out.m[4 * column + row] =
                a->m[row] * c[0] + a->m[4 + row] * c[1] + a->m[8 + row] * c[2] + a->m[12 + row] * c[3];
        }
    }
    return out;
}
// Scale, then turn (q of length 1), then move.
static inline mr_mat4 mr_mat4_from(mr_vec3 translation, mr_quaternion q, mr_vec3 scale)
{
    float x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    float xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    float xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    float wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return (mr_mat4){ {
        (1.0f - (yy + zz)) * scale.x,
        (xy + wz) * scale.x,
        (xz - wy) * scale.x,
        0.0f, //
        (xy - wz) * scale.y,
        (1.0f - (xx + zz)) * scale.y,
        (yz + wx) * scale.y,
        0.0f, //
        (xz + wy) * scale.z,
        (yz - wx) * scale.z,
        (1.0f - (xx + yy)) * scale.z,
        0.0f, //
        translation.x,
        translation.y,
        translation.z,
        1.0f,
    } };
}
static inline mr_vec3 mr_mat4_point(const mr_mat4 *a, mr_vec3 p)
{
    const float *m = a->m;
    return (mr_vec3){
        m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12],
        m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13],
        m[2] * p.x + m[6] * p.y + m[10] * p.z + m[14],
    };
}
static inline mr_vec3 mr_mat4_direction(const mr_mat4 *a, mr_vec3 d)
{
    const float *m = a->m;
    return (mr_vec3){
        m[0] * d.x + m[4] * d.y + m[8] * d.z,
        m[1] * d.x + m[5] * d.y + m[9] * d.z,
        m[2] * d.x + m[6] * d.y + m[10] * d.z,
    };
}

#endif
