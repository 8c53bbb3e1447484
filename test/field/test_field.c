// Fields against a slow interpreter written here, which works one element at a time from the rules of field.h: random
// graphs of every operator, over columns of every type.

#include "support.h"

#include "base/thread.h"
#include "field/field.h"
#include "num/angle_noise.h"
#include "num/color.h"
#include "num/exact.h"
#include "num/perlin.h"
#include "num/point_noise.h"

#include <math.h>

enum { NODES = 40, COLUMNS = 24, SIZE = 600, THREADS = 7 };

// The slow side: a value is words of a type.

typedef union lane {
    float f;
    int32_t i;
    uint32_t u;
} lane;

typedef struct value {
    mr_column_type type;
    lane x[16];
} value;

typedef enum what { NUMBER, CONSTANT, COLUMN, ID, POSITION, TABLE, COMPONENT, APPLY, NOISE } what;

typedef struct node {
    what what;
    mr_column_type type;
    const char *name;
    double number;
    value constant;
    int column;
    uint32_t lane;
    int operands[5];
    int count;
    mr_noise_settings noise;
} node;

static const mr_column_type types[] = { MR_COLUMN_FLOAT, MR_COLUMN_INT,  MR_COLUMN_UINT, MR_COLUMN_BOOL,
                                        MR_COLUMN_VEC2,  MR_COLUMN_VEC3, MR_COLUMN_VEC4, MR_COLUMN_COLOR,
                                        MR_COLUMN_MAT4,  MR_COLUMN_INT2, MR_COLUMN_INT3, MR_COLUMN_INT4 };
enum { TYPES = sizeof types / sizeof *types };

typedef struct world {
    test_random random;
    mr_column *columns[COLUMNS];
    mr_column *position;
    node nodes[NODES];
    int count;
    value memo[NODES];
} world;

static bool is_float(mr_column_type type)
{
    return mr_column_element(type) == MR_F32;
}

static bool literal_fits(const node *n)
{
    return n->what == NUMBER && n->number >= -2147483648.0 && n->number <= 4294967295.0 &&
           floor(n->number) == n->number;
}

typedef enum meeting { FLOATS, INTS, UINTS, BOOLS } meeting;

static meeting meet(const world *w, const node *n, int from)
{
    int others = 0, bools = 0, uints = 0, literals = 0, negative = 0;
    for (int k = from; k < n->count; k++) {
        const node *o = &w->nodes[n->operands[k]];
        if (literal_fits(o)) {
            literals++;
            negative += o->number < 0;
        } else if (is_float(o->type)) {
            return FLOATS;
        } else {
            others++;
            bools += o->type == MR_COLUMN_BOOL;
            uints += o->type == MR_COLUMN_UINT;
        }
    }
    if (others == 0) {
        return FLOATS;
    }
    if (bools == others && literals == 0) {
        return BOOLS;
    }
    return uints == others && !negative ? UINTS : INTS;
}

static uint32_t lanes_of(mr_column_type type)
{
    return mr_column_lanes(type);
}

static float get_f(const value *v, uint32_t l)
{
    l = lanes_of(v->type) == 1 ? 0 : l;
    if (l >= lanes_of(v->type)) {
        return 0;
    }
    return is_float(v->type)           ? v->x[l].f
           : v->type == MR_COLUMN_UINT ? (float)v->x[l].u
           : v->type == MR_COLUMN_BOOL ? (float)(v->x[l].u != 0)
                                       : (float)v->x[l].i;
}

static int64_t clipped(float x, int64_t low, int64_t high)
{
    return isnan(x) ? 0 : (double)x <= (double)low ? low : (double)x >= (double)high ? high : (int64_t)x;
}

// A word, of a Float saturated to Int or UInt.
static uint32_t get_w(const world *w, const node *n, int k, uint32_t l, bool is_unsigned)
{
    const node *o = &w->nodes[n->operands[k]];
    const value *v = &w->memo[n->operands[k]];
    if (literal_fits(o)) {
        return (uint32_t)(uint64_t)(int64_t)o->number;
    }
    l = lanes_of(v->type) == 1 ? 0 : l;
    if (l >= lanes_of(v->type)) {
        return 0;
    }
    if (is_float(v->type)) {
        return (uint32_t)(uint64_t)clipped(v->x[l].f, is_unsigned ? 0 : INT32_MIN,
                                           is_unsigned ? UINT32_MAX : INT32_MAX);
    }
    return v->type == MR_COLUMN_BOOL ? v->x[l].u != 0 : v->x[l].u;
}

static bool get_b(const value *v, uint32_t l)
{
    l = lanes_of(v->type) == 1 ? 0 : l;
    return l < lanes_of(v->type) && (is_float(v->type) ? v->x[l].f != 0 : v->x[l].u != 0);
}

// The column type of lanes of a meeting; MR_COLUMN_TYPE_COUNT where there is none.
static mr_column_type type_of(const world *w, const node *n, int from, meeting m)
{
    static const mr_column_type floats[] = { 0, MR_COLUMN_FLOAT, MR_COLUMN_VEC2, MR_COLUMN_VEC3,
                                             MR_COLUMN_VEC4 };
    static const mr_column_type ints[] = { 0, MR_COLUMN_INT, MR_COLUMN_INT2, MR_COLUMN_INT3, MR_COLUMN_INT4 };
    uint32_t lanes = 1;
    bool color = false, vec4 = false;
    for (int k = from; k < n->count; k++) {
        mr_column_type type = w->nodes[n->operands[k]].type;
        lanes = lanes_of(type) > lanes ? lanes_of(type) : lanes;
        color |= type == MR_COLUMN_COLOR;
        vec4 |= type == MR_COLUMN_VEC4 || type == MR_COLUMN_INT4;
    }
    if (m == FLOATS) {
        return lanes == 16 ? MR_COLUMN_MAT4 : lanes == 4 && color && !vec4 ? MR_COLUMN_COLOR : floats[lanes];
    }
    return lanes == 16              ? MR_COLUMN_TYPE_COUNT
           : lanes > 1 || m == INTS ? ints[lanes]
           : m == UINTS             ? MR_COLUMN_UINT
                                    : MR_COLUMN_BOOL;
}

static float min_f(float a, float b)
{
    return isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

static float max_f(float a, float b)
{
    return isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}

static float div_f(float a, float b)
{
    return b == 0 ? 0 : a / b;
}

static float mod_f(float a, float b)
{
    if (b == 0) {
        return 0;
    }
    float r = fmodf(a, b);
    return r == 0 ? copysignf(0, b) : isnan(r) || (r < 0) == (b < 0) ? r : r + b;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = b ? a / b : 0;
    return b && q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

// One-operand functions of floats, by name.
static bool unary_f(const char *name, float a, float *out)
{
    static const struct {
        const char *name;
        float (*f)(float);
    } exact[] = { { "sin", mr_f32_sin },   { "cos", mr_f32_cos },   { "tan", mr_f32_tan },
                  { "atan", mr_f32_atan }, { "sinh", mr_f32_sinh }, { "cosh", mr_f32_cosh },
                  { "tanh", mr_f32_tanh }, { "exp", mr_f32_exp } };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        if (strcmp(name, exact[i].name) == 0) {
            *out = exact[i].f(a);
            return true;
        }
    }
    if (strcmp(name, "sqrt") == 0) {
        *out = a <= 0 ? 0 : sqrtf(a);
    } else if (strcmp(name, "asin") == 0) {
        *out = mr_f32_asin(a > 1 ? 1 : a < -1 ? -1 : a);
    } else if (strcmp(name, "acos") == 0) {
        *out = mr_f32_acos(a > 1 ? 1 : a < -1 ? -1 : a);
    } else if (strcmp(name, "log") == 0) {
        *out = a <= 0 ? 0 : mr_f32_log(a);
    } else if (strcmp(name, "log10") == 0) {
        *out = a <= 0 ? 0 : mr_f32_log10(a);
    } else if (strcmp(name, "deg") == 0) {
        *out = a * 57.295779513082320877f;
    } else if (strcmp(name, "rad") == 0) {
        *out = a * 0.017453292519943295769f;
    } else {
        return false;
    }
    return true;
}

static bool more_f(const char *name, const float *a, int count, float *out)
{
    if (count == 1) {
        return unary_f(name, a[0], out);
    }
    if (strcmp(name, "div") == 0) {
        *out = div_f(a[0], a[1]);
    } else if (strcmp(name, "fmod") == 0) {
        *out = a[1] == 0 ? 0 : fmodf(a[0], a[1]);
    } else if (strcmp(name, "pow") == 0) {
        *out = mr_f32_pow(a[0], a[1]);
    } else if (strcmp(name, "atan2") == 0) {
        *out = mr_f32_atan2(a[0], a[1]);
    } else if (strcmp(name, "log") == 0) {
        *out = div_f(a[0] <= 0 ? 0 : mr_f32_log(a[0]), a[1] <= 0 ? 0 : mr_f32_log(a[1]));
    } else if (strcmp(name, "ldexp") == 0) {
        *out = isnan(a[1]) ? NAN : (float)ldexp(a[0], a[1] > 999 ? 999 : a[1] < -999 ? -999 : (int)a[1]);
    } else if (strcmp(name, "map") == 0) {
        *out = a[3] + div_f((a[0] - a[1]) * (a[4] - a[3]), a[2] - a[1]);
    } else if (strcmp(name, "lerp") == 0) {
        *out = a[2] == 1 ? a[1] : a[0] + (a[1] - a[0]) * a[2];
    } else if (strcmp(name, "smoothstep") == 0) {
        float t = min_f(max_f(div_f(a[2] - a[0], a[1] - a[0]), 0), 1);
        *out = t * t * (3 - 2 * t);
    } else {
        return false;
    }
    return true;
}

// What meets in one kind, as Floats and as whole numbers.
static bool number_f(const char *name, const float *a, float *out)
{
    const char *const names[] = { "add", "sub",   "mul",  "floordiv", "mod",  "neg",   "abs",  "min",
                                  "max", "clamp", "sign", "floor",    "ceil", "round", "trunc" };
    size_t at = 0;
    for (; at < sizeof names / sizeof *names && strcmp(name, names[at]) != 0; at++) {
    }
    const float answers[] = { a[0] + a[1],
                              a[0] - a[1],
                              a[0] * a[1],
                              floorf(div_f(a[0], a[1])),
                              mod_f(a[0], a[1]),
                              -a[0],
                              fabsf(a[0]),
                              min_f(a[0], a[1]),
                              max_f(a[0], a[1]),
                              min_f(max_f(a[0], a[1]), a[2]),
                              (float)((a[0] > 0) - (a[0] < 0)),
                              floorf(a[0]),
                              ceilf(a[0]),
                              roundf(a[0]),
                              truncf(a[0]) };
    *out = at < sizeof names / sizeof *names ? answers[at] : 0;
    return at < sizeof names / sizeof *names;
}

static int64_t number_w(const char *name, const int64_t *a)
{
    const int64_t low = a[0] < a[1] ? a[0] : a[1], high = a[0] > a[1] ? a[0] : a[1];
    return strcmp(name, "add") == 0        ? a[0] + a[1]
           : strcmp(name, "sub") == 0      ? a[0] - a[1]
           : strcmp(name, "mul") == 0      ? (int64_t)((uint64_t)a[0] * (uint64_t)a[1])
           : strcmp(name, "floordiv") == 0 ? floor_div(a[0], a[1])
           : strcmp(name, "mod") == 0      ? (a[1] == 0 ? 0 : a[0] - a[1] * floor_div(a[0], a[1]))
           : strcmp(name, "neg") == 0      ? -a[0]
           : strcmp(name, "abs") == 0      ? (a[0] < 0 ? -a[0] : a[0])
           : strcmp(name, "min") == 0      ? low
           : strcmp(name, "max") == 0      ? high
           : strcmp(name, "clamp") == 0    ? (high < a[2] ? high : a[2])
           : strcmp(name, "sign") == 0     ? (a[0] > 0) - (a[0] < 0)
                                           : a[0];
}

static int64_t bits_w(const char *name, uint32_t a, uint32_t b, bool is_unsigned)
{
    if (strcmp(name, "band") == 0) {
        return a & b;
    }
    if (strcmp(name, "bor") == 0) {
        return a | b;
    }
    if (strcmp(name, "bxor") == 0) {
        return a ^ b;
    }
    if (strcmp(name, "shl") == 0) {
        return b > 31 ? 0 : (int64_t)a << b;
    }
    assert_string_equal(name, "shr");
    return is_unsigned ? (b > 31 ? 0 : a >> b) : floor_div((int32_t)a, (int64_t)1 << (b > 31 ? 31 : b));
}

static uint32_t fnv(uint32_t hash, uint32_t word)
{
    for (int i = 0; i < 32; i += 8) {
        hash = (hash ^ (word >> i & 255)) * 16777619u;
    }
    return hash;
}

static uint32_t stirred(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

static float unit(uint32_t prefix, uint32_t element)
{
    return (float)(stirred(fnv(prefix, element)) >> 8) / 16777216.0f;
}

static bool one_of(const char *name, const char *list)
{
    size_t size = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += size) {
        if ((at == list || at[-1] == ' ') && (at[size] == ' ' || at[size] == 0)) {
            return true;
        }
    }
    return false;
}

static const char numbers[] = "add sub mul floordiv mod neg abs min max clamp sign floor ceil round trunc";
static const char reals[] =
    "div fmod pow sqrt sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 ldexp map "
    "deg rad lerp smoothstep normalize to_float srgb_to_linear linear_to_srgb ramp_ease";

// The type a node answers, MR_COLUMN_TYPE_COUNT where its operands are to be refused.
static mr_column_type typed(const world *w, const node *n)
{
    uint32_t sum = 0;
    bool narrow = true;
    for (int k = 0; k < n->count; k++) {
        sum += lanes_of(w->nodes[n->operands[k]].type);
        narrow = narrow && lanes_of(w->nodes[n->operands[k]].type) == 1;
    }
    meeting m = meet(w, n, 0);
    if (one_of(n->name, numbers)) {
        return type_of(w, n, 0, m == BOOLS ? INTS : m);
    }
    if (one_of(n->name, reals)) {
        return type_of(w, n, 0, FLOATS);
    }
    if (one_of(n->name, "band bor bxor shl shr")) {
        return type_of(w, n, 0, m == UINTS ? UINTS : INTS);
    }
    if (one_of(n->name, "isnan isinf isfinite to_bool")) {
        return type_of(w, n, 0, BOOLS);
    }
    if (one_of(n->name, "lt le gt ge eq ne")) {
        return MR_COLUMN_BOOL;
    }
    if (one_of(n->name, "where")) {
        uint32_t lanes = lanes_of(w->nodes[n->operands[0]].type);
        uint32_t b = lanes_of(w->nodes[n->operands[1]].type), c = lanes_of(w->nodes[n->operands[2]].type);
        return type_of(w, n, lanes > (b > c ? b : c) ? 0 : 1, meet(w, n, 1));
    }
    if (one_of(n->name, "to_int")) {
        return type_of(w, n, 0, INTS);
    }
    if (one_of(n->name, "length dot luminance")) {
        return MR_COLUMN_FLOAT;
    }
    if (one_of(n->name, "cross hsv_to_rgb rgb_to_hsv")) {
        return MR_COLUMN_VEC3;
    }
    if (one_of(n->name, "noise")) {
        return sum <= 3 ? MR_COLUMN_FLOAT : MR_COLUMN_TYPE_COUNT;
    }
    if (one_of(n->name, "vec2 vec3 vec4 color")) {
        mr_column_type type = one_of(n->name, "vec2")   ? MR_COLUMN_VEC2
                              : one_of(n->name, "vec3") ? MR_COLUMN_VEC3
                              : one_of(n->name, "vec4") ? MR_COLUMN_VEC4
                                                        : MR_COLUMN_COLOR;
        return sum == lanes_of(type) ? type : MR_COLUMN_TYPE_COUNT;
    }
    return !narrow                                        ? MR_COLUMN_TYPE_COUNT
           : one_of(n->name, "frexp modf")                ? MR_COLUMN_VEC2
           : one_of(n->name, "rand3 blackbody")           ? MR_COLUMN_VEC3
           : one_of(n->name, "rand_word to_uint")         ? MR_COLUMN_UINT
           : one_of(n->name, "rand rand_range rand_unit") ? MR_COLUMN_FLOAT
                                                          : MR_COLUMN_TYPE_COUNT;
}

static void put_w(value *out, uint32_t l, int64_t word)
{
    out->x[l].u = (uint32_t)(uint64_t)word;
}

static uint32_t widest(const world *w, const node *n)
{
    uint32_t lanes = 1;
    for (int k = 0; k < n->count; k++) {
        uint32_t own = lanes_of(w->nodes[n->operands[k]].type);
        lanes = own > lanes ? own : lanes;
    }
    return lanes;
}

static float dot(const world *w, const node *n, int a, int b)
{
    float sum = 0;
    for (uint32_t l = 0; l < widest(w, n); l++) {
        float product = get_f(&w->memo[n->operands[a]], l) * get_f(&w->memo[n->operands[b]], l);
        sum = l ? sum + product : product;
    }
    return sum;
}

static void vectors(const world *w, const node *n, value *out)
{
    const value *a = &w->memo[n->operands[0]], *b = &w->memo[n->operands[n->count > 1]];
    if (one_of(n->name, "dot")) {
        out->x[0].f = dot(w, n, 0, 1);
    } else if (one_of(n->name, "length")) {
        out->x[0].f = sqrtf(dot(w, n, 0, 0));
    } else if (one_of(n->name, "normalize")) {
        float length = sqrtf(dot(w, n, 0, 0));
        for (uint32_t l = 0; l < lanes_of(out->type); l++) {
            out->x[l].f = length > 0 ? get_f(a, l) / length : get_f(a, l);
        }
    } else if (one_of(n->name, "cross")) {
        for (uint32_t l = 0; l < 3; l++) {
            uint32_t p = (l + 1) % 3, q = (l + 2) % 3;
            out->x[l].f = get_f(a, p) * get_f(b, q) - get_f(a, q) * get_f(b, p);
        }
    } else {
        float all[16] = { 0 };
        uint32_t count = 0;
        for (int k = 0; k < n->count; k++) {
            for (uint32_t l = 0; l < lanes_of(w->nodes[n->operands[k]].type); l++) {
                all[count++] = get_f(&w->memo[n->operands[k]], l);
            }
        }
        if (one_of(n->name, "noise")) {
            out->x[0].f = mr_perlin3(all[0], all[1], all[2]);
        } else {
            memcpy(out->x, all, 16);
        }
    }
}

static void randoms(const world *w, const node *n, value *out)
{
    uint32_t words[5], prefix = 2166136261u;
    for (int k = 0; k < n->count; k++) {
        words[k] = get_w(w, n, k, 0, true);
    }
    if (one_of(n->name, "rand")) {
        for (int k = 0; k + 1 < n->count; k++) {
            prefix = fnv(prefix, words[k]);
        }
        out->x[0].f = unit(prefix, words[n->count - 1]);
    } else if (one_of(n->name, "rand_range")) {
        float low = get_f(&w->memo[n->operands[2]], 0), high = get_f(&w->memo[n->operands[3]], 0);
        out->x[0].f = low + (high - low) * unit(fnv(prefix, words[0]), words[1]);
    } else if (one_of(n->name, "rand3")) {
        for (uint32_t l = 0; l < 3; l++) {
            out->x[l].f = unit(fnv(fnv(prefix, words[0]), words[1]), l);
        }
    } else if (one_of(n->name, "rand_unit")) {
        out->x[0].f = unit(words[0], words[1]);
    } else {
        assert_string_equal(n->name, "rand_word");
        out->x[0].u = stirred(fnv(words[0], words[1]));
    }
}

static void compares(const world *w, const node *n, value *out)
{
    meeting m = meet(w, n, 0);
    bool equal = true, less, more;
    const value *a = &w->memo[n->operands[0]], *b = &w->memo[n->operands[1]];
    for (uint32_t l = 0; l < widest(w, n); l++) {
        equal = equal && (m == FLOATS ? get_f(a, l) == get_f(b, l)
                                      : get_w(w, n, 0, l, m == UINTS) == get_w(w, n, 1, l, m == UINTS));
    }
    uint32_t x = m == FLOATS ? 0 : get_w(w, n, 0, 0, m == UINTS),
             y = m == FLOATS ? 0 : get_w(w, n, 1, 0, m == UINTS);
    less = m == FLOATS ? get_f(a, 0) < get_f(b, 0) : m == UINTS ? x < y : (int32_t)x < (int32_t)y;
    more = m == FLOATS ? get_f(a, 0) > get_f(b, 0) : m == UINTS ? x > y : (int32_t)x > (int32_t)y;
    bool same = m == FLOATS ? get_f(a, 0) == get_f(b, 0) : x == y;
    out->x[0].u = one_of(n->name, "eq")   ? equal
                  : one_of(n->name, "ne") ? !equal
                  : one_of(n->name, "lt") ? less
                  : one_of(n->name, "gt") ? more
                  : one_of(n->name, "le") ? less || same
                                          : more || same;
}

// Lane l of what is worked lane by lane.
static void lane_wise(const world *w, const node *n, uint32_t l, value *out)
{
    meeting m = meet(w, n, one_of(n->name, "where") ? 1 : 0);
    const value *a = &w->memo[n->operands[0]];
    float f[5] = { 0 };
    int64_t i[5] = { 0 };
    for (int k = 0; k < n->count; k++) {
        f[k] = get_f(&w->memo[n->operands[k]], l);
        uint32_t word = get_w(w, n, k, l, m == UINTS);
        i[k] = m == UINTS ? (int64_t)word : (int32_t)word;
    }
    if (one_of(n->name, "where")) {
        int k = get_b(a, l) ? 1 : 2;
        if (m == FLOATS) {
            out->x[l].f = f[k];
        } else if (m == BOOLS) {
            out->x[l].u = get_b(&w->memo[n->operands[k]], l);
        } else {
            put_w(out, l, i[k]);
        }
    } else if (one_of(n->name, "isnan isinf isfinite")) {
        out->x[l].u = one_of(n->name, "isnan")   ? (uint32_t)(isnan(f[0]) != 0)
                      : one_of(n->name, "isinf") ? (uint32_t)(isinf(f[0]) != 0)
                                                 : (uint32_t)(isfinite(f[0]) != 0);
    } else if (one_of(n->name, "to_bool")) {
        out->x[l].u = get_b(a, l);
    } else if (one_of(n->name, "to_int to_uint")) {
        out->x[l].u = get_w(w, n, 0, l, one_of(n->name, "to_uint"));
    } else if (one_of(n->name, "to_float")) {
        out->x[l].f = f[0];
    } else if (one_of(n->name, "band bor bxor shl shr")) {
        put_w(out, l, bits_w(n->name, (uint32_t)(uint64_t)i[0], (uint32_t)(uint64_t)i[1], m == UINTS));
    } else if (one_of(n->name, numbers)) {
        if (m == FLOATS) {
            assert_true(number_f(n->name, f, &out->x[l].f));
        } else {
            put_w(out, l, number_w(n->name, i));
        }
    } else {
        assert_true(more_f(n->name, f, n->count, &out->x[l].f));
    }
}

static void colors(const value *a, const node *n, value *out)
{
    float in[3] = { get_f(a, 0), get_f(a, 1), get_f(a, 2) }, three[3] = { 0 };
    if (one_of(n->name, "luminance")) {
        three[0] = mr_luminance(in[0], in[1], in[2]);
    } else if (one_of(n->name, "hsv_to_rgb")) {
        mr_hsv_to_rgb(in, three);
    } else if (one_of(n->name, "rgb_to_hsv")) {
        mr_rgb_to_hsv(in, three);
    } else if (one_of(n->name, "blackbody")) {
        mr_blackbody(in[0], three);
    } else {
        for (uint32_t l = 0; l < lanes_of(out->type); l++) {
            float x = get_f(a, l);
            bool alpha = l == 3 && out->type == MR_COLUMN_COLOR;
            out->x[l].f = one_of(n->name, "ramp_ease")        ? mr_ramp_ease(x)
                          : alpha                             ? x
                          : one_of(n->name, "srgb_to_linear") ? mr_srgb_to_linear(x)
                                                              : mr_linear_to_srgb(x);
        }
        return;
    }
    memcpy(out->x, three, 4 * lanes_of(out->type));
}

static void sample(const mr_noise_settings *s, const value *at, value *out)
{
    float p[3] = { get_f(at, 0), get_f(at, 1), get_f(at, 2) };
    mr_point_noise point = { (mr_point_noise_kind)s->kind, s->seed, s->octaves, s->lacunarity, s->gain };
    mr_angle_fbm fbm;
    mr_angle_warp warp;
    switch (s->kind) {
    case MR_NOISE_CURL3:
        mr_point_curl3(p, s->seed, s->frequency, s->amplitude, &out->x[0].f);
        break;
    case MR_NOISE_WORLEY2:
        out->x[0].f = mr_cellular2(p[0], p[1], s->seed, s->jitter).f1;
        break;
    case MR_NOISE_WORLEY3:
        out->x[0].f = mr_cellular3(p[0], p[1], p[2], s->seed, s->jitter).f1;
        break;
    case MR_NOISE_ANGLE_LAYER2:
        out->x[0].f = mr_angle_gradient2(mr_lattice_of(p[0]), mr_lattice_of(p[1]), s->seed);
        break;
    case MR_NOISE_ANGLE2:
        mr_angle_fbm_prepare(&fbm, s->seed, s->octaves, (double)s->lacunarity, (double)s->gain);
        mr_angle_warp_prepare(&warp, &fbm, s->seed, s->warp, s->feature);
        out->x[0].f = mr_angle_warped2(&fbm, &warp, (double)p[0], (double)p[1]);
        break;
    default:
        out->x[0].f = mr_point_noise_at(&point, p[0], p[1], p[2]);
    }
}

static void apply(const world *w, const node *n, value *out)
{
    static const char of_color[] =
        "srgb_to_linear linear_to_srgb luminance hsv_to_rgb rgb_to_hsv blackbody ramp_ease";
    if (one_of(n->name, of_color)) {
        colors(&w->memo[n->operands[0]], n, out);
        return;
    }
    if (one_of(n->name, "lt le gt ge eq ne")) {
        compares(w, n, out);
    } else if (one_of(n->name, "dot length normalize cross vec2 vec3 vec4 color noise")) {
        vectors(w, n, out);
    } else if (one_of(n->name, "rand rand_range rand3 rand_unit rand_word")) {
        randoms(w, n, out);
    } else if (one_of(n->name, "frexp")) {
        int exponent = 0;
        float x = get_f(&w->memo[n->operands[0]], 0);
        out->x[0].f = frexpf(x, &exponent);
        out->x[1].f = isfinite(x) ? (float)exponent : 0;
    } else if (one_of(n->name, "modf")) {
        float whole;
        out->x[1].f = modff(get_f(&w->memo[n->operands[0]], 0), &whole);
        out->x[0].f = whole;
    } else {
        for (uint32_t l = 0; l < lanes_of(out->type); l++) {
            lane_wise(w, n, l, out);
        }
    }
}

static void read_column(const mr_column *column, int64_t at, value *out)
{
    uint32_t lanes = lanes_of(column->type);
    for (uint32_t l = 0; l < lanes; l++) {
        int64_t held = at < 0 ? 0 : at >= (int64_t)column->count ? (int64_t)column->count - 1 : at;
        out->x[l].u = column->count ? column->u32[(size_t)held * lanes + l] : 0;
        if (column->type == MR_COLUMN_BOOL) {
            out->x[l].u = out->x[l].u != 0;
        }
    }
}

static int64_t table_index(const value *v)
{
    if (is_float(v->type)) {
        return clipped(floorf(v->x[0].f), INT32_MIN, INT32_MAX);
    }
    return v->type == MR_COLUMN_INT ? (int64_t)v->x[0].i : (int64_t)v->x[0].u;
}

// Every node at one element.
static void interpret(world *w, size_t at)
{
    for (int i = 0; i < w->count; i++) {
        const node *n = &w->nodes[i];
        value *out = &w->memo[i];
        *out = (value){ .type = n->type };
        switch (n->what) {
        case NUMBER:
            out->x[0].f = (float)n->number;
            break;
        case CONSTANT:
            *out = n->constant;
            break;
        case COLUMN:
            read_column(w->columns[n->column], (int64_t)at, out);
            break;
        case ID:
            out->x[0].u = (uint32_t)at;
            break;
        case POSITION:
            memcpy(out->x, w->position->f32 + 3 * at, 12);
            break;
        case TABLE:
            read_column(w->columns[n->column], table_index(&w->memo[n->operands[0]]), out);
            break;
        case COMPONENT:
            out->x[0] = w->memo[n->operands[0]].x[n->lane];
            break;
        case APPLY:
            apply(w, n, out);
            break;
        case NOISE:
            sample(&n->noise, &w->memo[n->operands[0]], out);
            break;
        }
    }
}

// Random graphs, built on both sides.

static lane random_lane(test_random *random, mr_column_type type)
{
    static const float odd[] = { 0.0f,   -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN,
                                 1e-45f, 3e38f, 0.5f, 1e9f,  -1e-40f,  31.0f,     4e9f };
    lane x = { .u = test_u32(random) };
    uint32_t kind = test_below(random, 6);
    if (type == MR_COLUMN_BOOL) {
        x.u &= 1;
    } else if (is_float(type)) {
        x.f = kind == 0   ? odd[test_below(random, sizeof odd / sizeof *odd)]
              : kind == 1 ? (float)test_below(random, 21) - 10
              : kind == 2 ? x.f
                          : (float)test_between(random, -20, 20);
    } else if (kind > 1) {
        x.u = test_below(random, 41) - (type == MR_COLUMN_UINT ? 0u : 20u);
    }
    return x;
}

static mr_column *random_column(mr_context *context, test_random *random, mr_column_type type, size_t count)
{
    mr_error error;
    mr_column *column = mr_column_create(context, type, count, &error);
    assert_non_null(column);
    for (size_t i = 0; i < count * lanes_of(type); i++) {
        column->u32[i] = random_lane(random, type).u;
    }
    return mr_column_publish(column);
}

static mr_column_type index_type(const world *w, int i)
{
    return lanes_of(w->nodes[i].type) == 1 ? w->nodes[i].type : MR_COLUMN_TYPE_COUNT;
}

static mr_field *add_leaf(mr_context *context, world *w, node *n, mr_error *error)
{
    test_random *random = &w->random;
    *n = (node){ .what = (what)test_below(random, TABLE) };
    n->what = test_below(random, 3) ? n->what : COLUMN;
    switch (n->what) {
    case NUMBER:
        n->type = MR_COLUMN_FLOAT;
        n->number = test_below(random, 3) ? (double)test_below(random, 40) - 8 : test_between(random, -3, 3);
        n->number = test_below(random, 20) ? n->number : 4294967295.0;
        return mr_field_number(context, n->number, error);
    case CONSTANT:
        n->type = n->constant.type = types[test_below(random, TYPES)];
        for (uint32_t l = 0; l < lanes_of(n->type); l++) {
            n->constant.x[l] = random_lane(random, n->type);
        }
        return mr_field_constant(context, n->type, n->constant.x, error);
    case ID:
        n->type = MR_COLUMN_INT;
        return mr_field_id(context, error);
    case POSITION:
        n->type = MR_COLUMN_VEC3;
        return mr_field_position(context, error);
    case COLUMN:
    default:
        n->what = COLUMN;
        n->column = (int)test_below(random, COLUMNS);
        n->type = w->columns[n->column]->type;
        return mr_field_column(context, w->columns[n->column], error);
    }
}

static mr_noise_settings random_settings(test_random *random)
{
    return (mr_noise_settings){ .kind = (mr_noise_kind)test_below(random, MR_NOISE_ANGLE2 + 1),
                                .seed = test_below(random, 3),
                                .octaves = test_below(random, 4),
                                .lacunarity = test_below(random, 2) ? 2 : 1.75f,
                                .gain = 0.5f,
                                .jitter = test_below(random, 2) ? 1 : 0.5f,
                                .frequency = 0.5f,
                                .amplitude = 2,
                                .warp = test_below(random, 2) ? 0.5 : 0,
                                .feature = 4 };
}

static size_t refused_seen, used[128];

// A random node over those there are. False where its operands do not go together, which both sides must say.
static bool add_node(mr_context *context, world *w, mr_field **fields)
{
    test_random *random = &w->random;
    node *n = &w->nodes[w->count];
    mr_error error;
    uint32_t choice = test_below(random, 14);
    int operand = w->count ? (int)test_below(random, (uint32_t)w->count) : 0;
    *n = (node){ .operands = { operand }, .count = 1 };
    if (w->count < 3 || choice == 0) {
        fields[w->count] = add_leaf(context, w, n, &error);
    } else if (choice == 1) {
        n->what = COMPONENT;
        n->lane = test_below(random, lanes_of(w->nodes[operand].type));
        mr_column_type type = w->nodes[operand].type;
        n->type = lanes_of(type) == 1 ? type : is_float(type) ? MR_COLUMN_FLOAT : MR_COLUMN_INT;
        fields[w->count] = mr_field_component(fields[operand], n->lane, &error);
    } else if (choice == 2) {
        n->what = TABLE;
        n->column = (int)test_below(random, COLUMNS);
        n->type = w->columns[n->column]->type;
        fields[w->count] = mr_field_table(context, w->columns[n->column], fields[operand], &error);
        if (index_type(w, operand) == MR_COLUMN_TYPE_COUNT) {
            assert_null(fields[w->count]);
            refused_seen++;
            return false;
        }
    } else if (choice == 3) {
        n->what = NOISE;
        n->noise = random_settings(random);
        n->type = n->noise.kind == MR_NOISE_CURL3 ? MR_COLUMN_VEC3 : MR_COLUMN_FLOAT;
        fields[w->count] = mr_field_noise(context, &n->noise, fields[operand], &error);
    } else {
        size_t number = test_below(random, (uint32_t)mr_field_operator_count());
        mr_field_operator_about about = mr_field_operator_at(number);
        uint32_t most = about.most == UINT32_MAX ? 2 : about.most,
                 least = most == 2 && about.most != 2 ? 2 : about.least;
        n->what = APPLY;
        n->name = about.name;
        n->count = (int)(least + test_below(random, most - least + 1));
        mr_field *operands[5];
        for (int k = 0; k < n->count; k++) {
            n->operands[k] = (int)test_below(random, (uint32_t)w->count);
            operands[k] = fields[n->operands[k]];
        }
        n->type = typed(w, n);
        fields[w->count] = mr_field_apply(context, mr_view_of(n->name), operands, (size_t)n->count, &error);
        if (n->type == MR_COLUMN_TYPE_COUNT) {
            if (fields[w->count]) {
                fail_msg("%s takes what it should refuse", n->name);
            }
            assert_int_equal(error.status, MR_BAD_INPUT);
            assert_text_contains(error.message, n->name);
            refused_seen++;
            return false;
        }
        used[number]++;
    }
    if (!fields[w->count]) {
        fail_msg("%s: %s", n->name ? n->name : "leaf", error.message);
    }
    if (mr_field_type(fields[w->count]) != n->type) {
        fail_msg("%s is %s, not %s", n->name ? n->name : "leaf",
                 mr_column_type_name(mr_field_type(fields[w->count])), mr_column_type_name(n->type));
    }
    w->count++;
    return true;
}

static void assert_same(const world *w, uint32_t number, const mr_column *got, size_t at)
{
    const node *n = &w->nodes[w->count - 1];
    const value *want = &w->memo[w->count - 1];
    for (uint32_t l = 0; l < lanes_of(n->type); l++) {
        uint32_t word = want->x[l].u;
        if (is_float(n->type) && isnan(want->x[l].f)) {
            word = 0x7fc00000u;
        }
        uint32_t own = got->u32[at * lanes_of(n->type) + l];
        if (own != word) {
            fail_msg("field %u, %s, element %zu, lane %u: %08x, not %08x", number, n->name ? n->name : "leaf",
                     at, l, own, word);
        }
    }
}

static void assert_field_equals(mr_context *const *contexts, size_t context_count, uint32_t number, world *w)
{
    static const size_t sizes[] = { 0, 1, 2, 255, 256, 257 };
    w->random = (test_random){ number };
    w->count = 0;
    size_t count = number % 40 == 0 ? sizes[number / 40 % 6] : 1 + test_below(&w->random, 30);
    mr_field *fields[NODES];
    int goal = 4 + (int)test_below(&w->random, NODES - 4);
    test_random start = w->random;
    for (size_t c = 0; c < context_count; c++) {
        mr_error error;
        w->random = start;
        w->count = 0;
        while (w->count < goal) {
            add_node(contexts[c], w, fields);
        }
        mr_count domain = mr_count_plain(count);
        mr_column *got = mr_field_evaluate(contexts[c], fields[w->count - 1], &domain, w->position, &error);
        test_assert_ok(got != NULL, &error);
        assert_int_equal(got->type, w->nodes[w->count - 1].type);
        assert_int_equal(got->count, count);
        for (size_t i = 0; i < count; i++) {
            interpret(w, i);
            assert_same(w, number, got, i);
        }
        mr_column_release(got);
        for (int i = 0; i < w->count; i++) {
            mr_field_release(fields[i]);
        }
    }
}

static world *make_world(mr_context *context)
{
    world *w = malloc(sizeof *w);
    w->random = (test_random){ 77 };
    for (int i = 0; i < COLUMNS; i++) {
        size_t count = i < 12 ? SIZE : i == 12 ? 0 : test_below(&w->random, 20);
        w->columns[i] = random_column(context, &w->random, types[i % TYPES], count);
    }
    w->position = random_column(context, &w->random, MR_COLUMN_VEC3, SIZE);
    return w;
}

static void end_world(world *w)
{
    for (int i = 0; i < COLUMNS; i++) {
        mr_column_release(w->columns[i]);
    }
    mr_column_release(w->position);
    free(w);
}

static void random_fields_equal_the_interpreter(void **state)
{
    mr_context *contexts[2 * MR_ISA_COUNT];
    size_t count = 0;
    for (mr_isa isa = MR_ISA_BASE; isa <= mr_isa_best(); isa++) {
        for (uint32_t threads = 1; threads <= THREADS; threads += THREADS - 1) {
            mr_context_config config = mr_context_config_default();
            config.isa = mr_isa_name(isa);
            config.threads = threads;
            mr_error error;
            test_assert_ok(mr_context_create(&config, &contexts[count++], &error), &error);
        }
    }
    world *w = make_world(contexts[0]);
    size_t fields = test_count(10000);
    for (uint32_t i = 0; i < fields; i++) {
        if (i % 16 == 0) {
            assert_field_equals(contexts, count, i, w);
        } else {
            assert_field_equals(contexts + i % count, 1, i, w);
        }
    }
    assert_true(refused_seen > fields / 10);
    for (size_t i = 0; fields >= 1000 && i < mr_field_operator_count(); i++) {
        if (used[i] < 20) {
            fail_msg("%s was tried %zu times", mr_field_operator_at(i).name, used[i]);
        }
    }
    end_world(w);
    for (size_t i = count; i-- > 0;) {
        test_context_end(contexts[i]);
    }
}

// Chains.

static mr_field *chained(mr_context *context, mr_field *a, const char *name, mr_field *b)
{
    mr_error error;
    mr_field *made = mr_field_apply(context, mr_view_of(name), (mr_field *[2]){ a, b }, b ? 2 : 1, &error);
    test_assert_ok(made != NULL, &error);
    mr_field_release(a);
    return made;
}

static void a_long_chain_makes_no_full_length_temporary(void **state)
{
    mr_context *context = *state;
    mr_error error;
    const size_t count = 1 << 20;
    mr_column *ones = mr_column_create(context, MR_COLUMN_VEC3, count, &error);
    assert_non_null(ones);
    for (size_t i = 0; i < 3 * count; i++) {
        ones->f32[i] = 1;
    }
    mr_column_publish(ones);
    mr_field *x = mr_field_column(context, ones, &error), *chain = mr_field_retain(x);
    for (int i = 0; i < 20; i++) {
        chain = chained(context, chain, i % 2 ? "mul" : "add", x);
    }
    uint64_t before = mr_context_memory_now(context);
    mr_count domain = mr_count_plain(count);
    mr_column *out = mr_field_evaluate(context, chain, &domain, NULL, &error);
    test_assert_ok(out != NULL, &error);
    // The answer is 12 MiB (the pool rounds it up); what else was held at any time is far below one more column.
    uint64_t answer = mr_context_memory_now(context) - before;
    assert_true((double)answer < 12.6e6 * 1.4);
    assert_true(mr_context_memory_peak(context) - before < answer + (1 << 20));
    assert_true(out->f32[0] == 11 && out->f32[3 * count - 1] == 11);
    mr_column_release(out);
    mr_field_release(chain);
    mr_field_release(x);
    mr_column_release(ones);
}

static void a_chain_deeper_than_the_stack_is_worked_and_let_go(void **state)
{
    mr_context *context = *state;
    mr_error error;
    size_t depth = test_count(200000);
    mr_field *chain = mr_field_id(context, &error), *one = mr_field_number(context, 1, &error);
    for (size_t i = 0; i < depth; i++) {
        chain = chained(context, chain, "add", one);
    }
    mr_count domain = mr_count_plain(300);
    mr_column *out = mr_field_evaluate(context, chain, &domain, NULL, &error);
    test_assert_ok(out != NULL, &error);
    for (size_t i = 0; i < 300; i++) {
        assert_int_equal(out->i32[i], i + depth);
    }
    mr_column_release(out);
    mr_field_release(chain);
    mr_field_release(one);
}

static size_t length_of(mr_context *context, mr_field *field)
{
    mr_error error;
    mr_element_program *program = mr_field_program_create(context, field, &error);
    test_assert_ok(program != NULL, &error);
    size_t length = mr_field_program_length(program);
    mr_field_program_destroy(program);
    return length;
}

static void equal_parts_are_worked_once_and_constants_not_at_all(void **state)
{
    mr_context *context = *state;
    mr_error error;
    // Built twice, so that the two are different nodes of one meaning.
    mr_field *halves[2];
    for (int i = 0; i < 2; i++) {
        mr_field *p = mr_field_position(context, &error), *three = mr_field_number(context, 3, &error);
        halves[i] = chained(context, chained(context, p, "mul", three), "length", NULL);
        mr_field_release(three);
    }
    size_t alone = length_of(context, halves[0]);
    assert_int_equal(alone, 3 + 3 + 2 + 1);
    mr_field *sum = chained(context, mr_field_retain(halves[0]), "add", halves[1]);
    assert_int_equal(length_of(context, sum), alone + 1);
    // A shared node, 40 times doubled: a tree of 2^40 leaves.
    for (int i = 0; i < 40; i++) {
        mr_field *twice = chained(context, mr_field_retain(sum), "add", sum);
        mr_field_release(sum);
        sum = twice;
    }
    assert_int_equal(length_of(context, sum), alone + 41);
    const mr_noise_settings settings = { .kind = MR_NOISE_WORLEY3, .seed = 1, .jitter = 1 };
    mr_field *noises[2] = { mr_field_noise(context, &settings, halves[0], &error),
                            mr_field_noise(context, &settings, halves[1], &error) };
    noises[0] = chained(context, noises[0], "add", noises[1]);
    assert_int_equal(length_of(context, noises[0]), alone + 2);
    mr_field_release(noises[0]);
    mr_field_release(noises[1]);
    mr_field *two = mr_field_number(context, 2, &error);
    mr_field *folded = chained(context, chained(context, mr_field_retain(two), "sqrt", NULL), "mul", two);
    assert_int_equal(length_of(context, folded), 0);
    mr_field_release(folded);
    mr_field_release(two);
    mr_field_release(sum);
    mr_field_release(halves[0]);
    mr_field_release(halves[1]);
}

static void a_large_field_is_the_same_however_it_is_run(void **state)
{
    const size_t count = test_count(60000) + 3;
    mr_digest first = { 0 };
    bool any = false;
    for (mr_isa isa = MR_ISA_BASE; isa <= mr_isa_best(); isa++) {
        for (uint32_t threads = 1; threads <= THREADS; threads += THREADS - 1) {
            mr_context_config config = mr_context_config_default();
            config.isa = mr_isa_name(isa);
            config.threads = threads;
            mr_error error;
            mr_context *context;
            test_assert_ok(mr_context_create(&config, &context, &error), &error);
            test_random random = { 5 };
            mr_column *column = random_column(context, &random, MR_COLUMN_VEC3, count);
            mr_field *x = mr_field_column(context, column, &error);
            mr_field *p = mr_field_position(context, &error), *id = mr_field_id(context, &error);
            mr_field *chain = chained(context, mr_field_retain(x), "sin", NULL);
            chain = chained(context, chained(context, chain, "mul", p), "add", id);
            chain = chained(context, chained(context, chain, "mod", x), "atan2", p);
            mr_count domain = mr_count_plain(count);
            mr_column *out = mr_field_evaluate(context, chain, &domain, column, &error);
            test_assert_ok(out != NULL, &error);
            mr_digester digester;
            mr_digest_begin(&digester);
            mr_column_digest(out, &digester);
            mr_digest digest = mr_digest_end(&digester);
            first = any ? first : digest;
            any = true;
            assert_memory_equal(&digest, &first, sizeof digest);
            mr_column_release(out);
            mr_column_release(column);
            mr_field_release(x);
            mr_field_release(p);
            mr_field_release(id);
            mr_field_release(chain);
            test_context_end(context);
        }
    }
}

static void a_live_domain_is_carried_on(void **state)
{
    mr_context *context = *state;
    mr_error error;
    uint32_t live = 3;
    mr_column *word = mr_column_publish(mr_column_from(context, MR_COLUMN_UINT, &live, 1, &error));
    mr_count domain;
    test_assert_ok(mr_count_live(word, 8, &domain, &error), &error);
    mr_field *id = mr_field_id(context, &error);
    mr_column *out = mr_field_evaluate(context, id, &domain, NULL, &error);
    test_assert_ok(out != NULL, &error);
    assert_int_equal(out->count, 8);
    assert_int_equal(mr_column_live_count(out), 3);
    mr_column_release(out);
    mr_field_release(id);
    mr_count_release(&domain);
    mr_column_release(word);
}

// Errors.

static void assert_refused(mr_field *made, const mr_error *error, const char *why)
{
    assert_null(made);
    assert_int_equal(error->status, MR_BAD_INPUT);
    assert_text_contains(error->message, why);
}

static void what_does_not_go_together_is_refused(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_field *p = mr_field_position(context, &error), *one = mr_field_number(context, 1, &error);
    mr_field *many[6] = { one, one, one, one, one, one };
    assert_refused(mr_field_apply(context, MR_VIEW("sine"), &one, 1, &error), &error, "no operator sine");
    assert_refused(mr_field_apply(context, MR_VIEW("sin"), many, 2, &error), &error,
                   "sin takes 1 operand and");
    assert_refused(mr_field_apply(context, MR_VIEW("add"), many, 3, &error), &error, "add takes 2 operands");
    assert_refused(mr_field_apply(context, MR_VIEW("log"), many, 3, &error), &error, "log takes 1 to 2");
    assert_refused(mr_field_apply(context, MR_VIEW("min"), many, 0, &error), &error,
                   "min takes 1 operands or more");
    assert_refused(mr_field_apply(context, MR_VIEW("vec3"), many, 2, &error), &error,
                   "vec3 takes 3 components");
    assert_refused(mr_field_component(p, 3, &error), &error, "Vec3 has no component 3");
    assert_refused(mr_field_walk_state(context, 2, &error), &error, "0 or 4");
    assert_null(mr_field_apply(context, MR_VIEW("sin"), (mr_field *[1]){ NULL }, 1, &error));
    mr_column *text = mr_column_create(context, MR_COLUMN_TEXT, 0, &error);
    assert_refused(mr_field_column(context, text, &error), &error, "Text");
    assert_refused(mr_field_table(context, text, one, &error), &error, "Text");
    mr_column_release(text);
    mr_count domain = mr_count_plain(4);
    assert_null(mr_field_evaluate(context, p, &domain, NULL, &error));
    assert_text_contains(error.message, "position");
    mr_field *step = mr_field_walk_step(context, &error);
    assert_null(mr_field_evaluate(context, step, &domain, NULL, &error));
    assert_text_contains(error.message, "walk");
    mr_column *few = mr_column_create(context, MR_COLUMN_VEC3, 3, &error);
    assert_null(mr_field_evaluate(context, p, &domain, few, &error));
    assert_text_contains(error.message, "3 of Vec3");
    domain = mr_count_plain(MR_COUNT_MOST + 1);
    assert_null(mr_field_evaluate(context, one, &domain, NULL, &error));
    assert_int_equal(error.status, MR_LIMIT);
    mr_column_release(few);
    mr_field_release(step);
    mr_field_release(p);
    mr_field_release(one);
    mr_field *least = mr_field_number(context, 4, &error);
    mr_field *three[3] = { mr_field_number(context, 2, &error), least, mr_field_id(context, &error) };
    mr_field *min = mr_field_apply(context, MR_VIEW("min"), three, 3, &error);
    domain = mr_count_plain(4);
    mr_column *out = mr_field_evaluate(context, min, &domain, NULL, &error);
    test_assert_ok(out != NULL, &error);
    assert_true(out->type == MR_COLUMN_FLOAT && out->f32[1] == 1 && out->f32[3] == 2);
    mr_column_release(out);
    mr_field_release(min);
    for (int i = 0; i < 3; i++) {
        mr_field_release(three[i]);
    }
}

static bool build_and_evaluate(mr_context *context, mr_error *error)
{
    float words[3] = { 1, 2, 3 };
    mr_column *column = mr_column_from(context, MR_COLUMN_VEC3, words, 1, error);
    mr_field *x = column ? mr_field_column(context, mr_column_publish(column), error) : NULL;
    mr_field *id = x ? mr_field_id(context, error) : NULL;
    mr_field *half = id ? mr_field_number(context, 0.5, error) : NULL;
    mr_field *table = half ? mr_field_table(context, column, id, error) : NULL;
    mr_field *sum =
        table ? mr_field_apply(context, MR_VIEW("min"), (mr_field *[3]){ x, table, half }, 3, error) : NULL;
    mr_field *high = sum ? mr_field_component(sum, 1, error) : NULL;
    const mr_noise_settings settings = {
        .kind = MR_NOISE_GRADIENT3, .octaves = 2, .lacunarity = 2, .gain = 0.5f
    };
    mr_field *part = mr_field_noise(context, &settings, high, error);
    mr_count domain = mr_count_plain(20000);
    mr_column *out = part ? mr_field_evaluate(context, part, &domain, NULL, error) : NULL;
    mr_column_release(out);
    mr_field *const made[] = { x, id, half, table, sum, high, part };
    for (size_t i = 0; i < 7; i++) {
        mr_field_release(made[i]);
    }
    mr_column_release(column);
    return out != NULL;
}

static void no_memory_is_an_error_at_every_site(void **state)
{
    mr_context *context = *state;
    mr_error error;
    bool good = false;
    for (uint64_t n = 1; !good; n++) {
        mr_memory_fail_after(context, n, true);
        error.status = MR_OK;
        good = build_and_evaluate(context, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY || error.status == MR_LIMIT);
        assert_true(n < 500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_fields_equal_the_interpreter),
        cmocka_unit_test_setup_teardown(a_long_chain_makes_no_full_length_temporary, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(a_chain_deeper_than_the_stack_is_worked_and_let_go, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(equal_parts_are_worked_once_and_constants_not_at_all, test_setup,
                                        test_teardown),
        cmocka_unit_test(a_large_field_is_the_same_however_it_is_run),
        cmocka_unit_test_setup_teardown(a_live_domain_is_carried_on, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(what_does_not_go_together_is_refused, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(no_memory_is_an_error_at_every_site, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
