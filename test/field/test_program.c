// Programs against a slow evaluator that walks the expression's tree, lane by lane, with the operations written out
// again: 10,000 random expressions with conditions, calls, draws and errors, over every kind of number.

#include "field/program.h"
#include "num/exact.h"
#include "num/hash.h"
#include "num/noise.h"
#include "num/perlin.h"
#include "support.h"

#include <math.h>

enum { NODES_MAX = 400, LANES_MAX = 700, INPUTS = 8, STREAMS = 2 };

typedef enum kind {
    CONSTANT,
    INPUT,
    OPERATION,
    LAZY_AND,
    LAZY_OR,
    LAZY_IF,
    CALL,
    DRAW_UNIT,
    DRAW_BELOW,
    CHECKED // operand 1, unless the truth of operand 0 fails: then the run stops
} kind;

typedef struct node {
    kind kind;
    mr_lane lane;
    mr_op op;
    uint32_t index; // input, stream, or which of a call's results
    mr_lane_value value;
    int operands[MR_OPERANDS_MAX];
} node;

typedef struct expression {
    test_random random;
    node nodes[NODES_MAX];
    int count;
    bool draws;
} expression;

static const mr_lane input_lanes[INPUTS] = { MR_LANE_F32,  MR_LANE_F32, MR_LANE_I64,  MR_LANE_I64,
                                             MR_LANE_BOOL, MR_LANE_F32, MR_LANE_WORD, MR_LANE_WORD };

static float random_f32(test_random *random)
{
    static const float odd[] = {
        0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-45f, 3e38f, 0.5f, 1e9f
    };
    switch (test_below(random, 6)) {
    case 0:
        return odd[test_below(random, sizeof odd / sizeof *odd)];
    case 1:
        return (float)(int)test_below(random, 21) - 10.0f;
    case 2: {
        uint32_t bits = test_u32(random);
        float x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    default:
        return (float)test_between(random, -20, 20);
    }
}

static int64_t random_i64(test_random *random)
{
    static const int64_t odd[] = { 0, 1, -1, INT64_MAX, INT64_MIN, 4294967295, 4294967296 };
    switch (test_below(random, 200)) {
    case 0:
        return odd[test_below(random, sizeof odd / sizeof *odd)];
    case 1:
        return (int64_t)test_u64(random);
    default:
        return (int64_t)test_below(random, 41) - (test_below(random, 20) ? 0 : 20);
    }
}

static uint32_t random_word(test_random *random)
{
    static const uint32_t odd[] = { 0, 1, UINT32_MAX, INT32_MAX, 1u << 31, 31, 32, 33 };
    switch (test_below(random, 4)) {
    case 0:
        return odd[test_below(random, sizeof odd / sizeof *odd)];
    case 1:
        return test_u32(random);
    default:
        return test_below(random, 41) - 20u;
    }
}

static int add_node(expression *e, node n)
{
    assert_true(e->count < NODES_MAX);
    e->nodes[e->count] = n;
    return e->count++;
}

static int grow(expression *e, mr_lane lane, int depth);

static int leaf(expression *e, mr_lane lane)
{
    node n = { .kind = CONSTANT, .lane = lane };
    if (test_below(&e->random, 3)) {
        n.kind = INPUT;
        do {
            n.index = test_below(&e->random, INPUTS);
        } while (input_lanes[n.index] != lane);
    } else if (lane == MR_LANE_F32) {
        n.value.f32 = random_f32(&e->random);
    } else if (lane == MR_LANE_I64) {
        n.value.i64 = random_i64(&e->random);
    } else if (lane == MR_LANE_WORD) {
        n.value.word = random_word(&e->random);
    } else {
        n.value.truth = test_below(&e->random, 2);
    }
    return add_node(e, n);
}

static int grow(expression *e, mr_lane lane, int depth)
{
    if (depth == 0 || e->count > NODES_MAX - 40 || test_below(&e->random, 12) == 0) {
        return leaf(e, lane);
    }
    node n = { .lane = lane };
    switch (test_below(&e->random, 12)) {
    case 0:
        n.kind = LAZY_IF;
        n.operands[0] = grow(e, MR_LANE_BOOL, depth - 1);
        n.operands[1] = grow(e, lane, depth - 1);
        n.operands[2] = grow(e, lane, depth - 1);
        return add_node(e, n);
    case 1:
        if (lane == MR_LANE_BOOL) {
            n.kind = test_below(&e->random, 2) ? LAZY_AND : LAZY_OR;
            n.operands[0] = grow(e, lane, depth - 1);
            n.operands[1] = grow(e, lane, depth - 1);
            return add_node(e, n);
        }
        n.kind = CHECKED;
        n.operands[0] = grow(e, MR_LANE_BOOL, depth - 1);
        n.operands[1] = grow(e, lane, depth - 1);
        return test_below(&e->random, 30) ? n.operands[1] : add_node(e, n);
    case 2:
        if (lane == MR_LANE_F32) {
            n.kind = CALL;
            n.index = test_below(&e->random, 2);
            n.operands[0] = grow(e, MR_LANE_F32, depth - 1);
            n.operands[1] = grow(e, MR_LANE_I64, depth - 1);
            return add_node(e, n);
        }
        break;
    case 3:
        if (e->draws && lane == MR_LANE_F32) {
            n.kind = DRAW_UNIT;
            n.index = test_below(&e->random, STREAMS);
            return add_node(e, n);
        }
        if (e->draws && lane == MR_LANE_I64) {
            n.kind = DRAW_BELOW;
            n.index = test_below(&e->random, STREAMS);
            n.operands[0] = grow(e, MR_LANE_I64, depth - 1);
            return add_node(e, n);
        }
        break;
    case 4: // what was made before, so that some parts are equal
        for (int i = e->count; i-- > 0 && i > e->count - 10;) {
            if (e->nodes[i].lane == lane && (e->nodes[i].kind == OPERATION || e->nodes[i].kind == CALL)) {
                return i;
            }
        }
        break;
    default:
        break;
    }
    n.kind = OPERATION;
    do {
        n.op = (mr_op)test_below(&e->random, MR_OP_COUNT);
    } while (mr_operation_of(n.op)->result != lane);
    const mr_operation *operation = mr_operation_of(n.op);
    for (size_t i = 0; i < operation->arity; i++) {
        n.operands[i] = grow(e, operation->operands[i], depth - 1);
    }
    return add_node(e, n);
}

// The call both sides make: two results, an error for a whole number of 13.
static bool call_one(float x, int64_t n, float out[2])
{
    out[0] = x * 0.5f + (float)n;
    out[1] = x - (float)n;
    return n != 13;
}

static bool call_block(void *self, const void *const *operands, void *const *results, size_t count,
                       mr_error *error)
{
    const float *x = operands[0];
    const int64_t *n = operands[1];
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        float out[2];
        good &= call_one(x[i], n[i], out);
        ((float *)results[0])[i] = out[0];
        ((float *)results[1])[i] = out[1];
    }
    ++*(size_t *)self;
    return good || mr_fail(error, MR_BAD_INPUT, "thirteen");
}

// The slow side.

typedef struct lane_state {
    const expression *e;
    const mr_lane_value *inputs; // of this lane
    mr_stream *streams;
    uint64_t draws;
    bool failed;
} lane_state;

static float slow_round(double x)
{
    return (float)(x < 0 ? -floor(-x + 0.5) : floor(x + 0.5)); // in f64 the sum is exact where it matters
}

static float slow_min(float a, float b)
{
    return isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

static float slow_max(float a, float b)
{
    return isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}

static float slow_div(float a, float b)
{
    return b == 0 ? 0 : a / b;
}

static int64_t slow_int(float whole)
{
    return isnan(whole) ? 0 : whole >= 0x1p63f ? INT64_MAX : whole <= -0x1p63f ? INT64_MIN : (int64_t)whole;
}

static uint32_t slow_fnv(uint32_t hash, uint32_t word)
{
    for (int byte = 0; byte < 4; byte++) {
        hash ^= word >> (8 * byte) & 255;
        hash *= 16777619;
    }
    return hash;
}

static uint32_t slow_rand(uint32_t prefix, uint32_t element)
{
    uint32_t h = slow_fnv(prefix, element);
    h = (h ^ h / 65536) * 2246822507u;
    h = (h ^ h / 8192) * 3266489909u;
    return h ^ h / 65536;
}

static float slow_f32(mr_op op, const mr_lane_value *v)
{
    float a = v[0].f32, b = v[1].f32, c = v[2].f32, t;
    int exponent;
    switch (op) {
    case MR_OP_ADD:
        return a + b;
    case MR_OP_SUB:
        return a - b;
    case MR_OP_MUL:
        return a * b;
    case MR_OP_DIV:
        return slow_div(a, b);
    case MR_OP_NEG:
        return -a;
    case MR_OP_ABS:
        return fabsf(a);
    case MR_OP_SIGN:
        return (float)((a > 0) - (a < 0));
    case MR_OP_MIN:
        return slow_min(a, b);
    case MR_OP_MAX:
        return slow_max(a, b);
    case MR_OP_CLAMP:
        return slow_min(slow_max(a, b), c);
    case MR_OP_FLOOR:
        return floorf(a);
    case MR_OP_CEIL:
        return ceilf(a);
    case MR_OP_ROUND:
        return roundf(a);
    case MR_OP_TRUNC:
        return truncf(a);
    case MR_OP_MOD:
        if (b == 0) {
            return 0;
        }
        t = fmodf(a, b);
        return t == 0 ? copysignf(0, b) : isnan(t) || (t < 0) == (b < 0) ? t : t + b;
    case MR_OP_FMOD:
        return b == 0 ? 0 : fmodf(a, b);
    case MR_OP_MIX:
        t = b - a;
        t = t * c;
        return a + t;
    case MR_OP_SMOOTHSTEP:
        t = slow_min(slow_max(slow_div(c - a, b - a), 0), 1);
        return t * t * (3 - 2 * t);
    case MR_OP_SQRT:
        return a <= 0 ? 0 : sqrtf(a);
    case MR_OP_CBRT:
        return mr_f32_cbrt(a);
    case MR_OP_HYPOT:
        return mr_f32_hypot(a, b);
    case MR_OP_SIN:
        return mr_f32_sin(a);
    case MR_OP_COS:
        return mr_f32_cos(a);
    case MR_OP_TAN:
        return mr_f32_tan(a);
    case MR_OP_ASIN:
        return mr_f32_asin(a > 1 ? 1 : a < -1 ? -1 : a);
    case MR_OP_ACOS:
        return mr_f32_acos(a > 1 ? 1 : a < -1 ? -1 : a);
    case MR_OP_ATAN:
        return mr_f32_atan(a);
    case MR_OP_ATAN2:
        return mr_f32_atan2(a, b);
    case MR_OP_SINH:
        return mr_f32_sinh(a);
    case MR_OP_COSH:
        return mr_f32_cosh(a);
    case MR_OP_TANH:
        return mr_f32_tanh(a);
    case MR_OP_EXP:
        return mr_f32_exp(a);
    case MR_OP_EXP2:
        return mr_f32_exp2(a);
    case MR_OP_LOG:
        return a <= 0 ? 0 : mr_f32_log(a);
    case MR_OP_LOG2:
        return a <= 0 ? 0 : mr_f32_log2(a);
    case MR_OP_LOG10:
        return a <= 0 ? 0 : mr_f32_log10(a);
    case MR_OP_POW:
        return mr_f32_pow(a, b);
    case MR_OP_WHERE:
        return v[0].truth ? b : c;
    case MR_OP_TO_F32:
        return (float)v[0].i64;
    case MR_OP_BOOL_TO_F32:
        return v[0].truth ? 1 : 0;
    case MR_OP_LERP:
        t = b - a;
        t = t * c;
        return c == 1 ? b : a + t;
    case MR_OP_LDEXP:
        return isnan(b) ? NAN : (float)ldexp(a, b > 1000 ? 1000 : b < -1000 ? -1000 : (int)b);
    case MR_OP_FREXP_FRACTION:
        return frexpf(a, &exponent);
    case MR_OP_FREXP_EXPONENT:
        frexpf(a, &exponent);
        return isfinite(a) ? (float)exponent : 0;
    case MR_OP_MODF_FRACTION:
        return modff(a, &t);
    case MR_OP_WORD_TO_F32:
        return (float)(int32_t)v[0].word;
    case MR_OP_UWORD_TO_F32:
        return (float)v[0].word;
    case MR_OP_RAND_UNIT:
        return (float)(slow_rand(v[0].word, v[1].word) / 256) / 16777216;
    case MR_OP_PERLIN:
        return mr_perlin3(a, b, c);
    default:
        assert_int_equal(op, MR_OP_GRADIENT2);
        return mr_gradient2(slow_div(a, c), slow_div(b, c), (uint32_t)v[3].i64).value;
    }
}

static int64_t slow_floor_div(int64_t a, int64_t b)
{
    __int128 x = a, y = b, q = x / y;
    return (int64_t)(q * y != x && (x < 0) != (y < 0) ? q - 1 : q);
}

// False where a whole number has no answer.
static bool slow_i64(mr_op op, const mr_lane_value *v, int64_t *out)
{
    __int128 a = v[0].i64, b = v[1].i64, wide;
    switch (op) {
    case MR_OP_IADD:
        wide = a + b;
        break;
    case MR_OP_ISUB:
        wide = a - b;
        break;
    case MR_OP_IMUL:
        wide = a * b;
        break;
    case MR_OP_IDIV:
        wide = b == 0 ? 0 : b == -1 ? -a : slow_floor_div(v[0].i64, v[1].i64);
        break;
    case MR_OP_IMOD:
        wide = b == 0 || b == -1 ? 0 : a - b * slow_floor_div(v[0].i64, v[1].i64);
        break;
    case MR_OP_INEG:
        wide = -a;
        break;
    case MR_OP_IABS:
        wide = a < 0 ? -a : a;
        break;
    case MR_OP_IMIN:
        wide = a < b ? a : b;
        break;
    case MR_OP_IMAX:
        wide = a > b ? a : b;
        break;
    case MR_OP_IWHERE:
        wide = v[0].truth ? v[1].i64 : v[2].i64;
        break;
    case MR_OP_FLOOR_TO_INT:
        wide = slow_int(floorf(v[0].f32));
        break;
    case MR_OP_CEIL_TO_INT:
        wide = slow_int(ceilf(v[0].f32));
        break;
    case MR_OP_ROUND_TO_INT:
        wide = slow_int(slow_round((double)v[0].f32));
        break;
    default:
        assert_int_equal(op, MR_OP_RANDOM);
        if (a < 0 || a > 4294967295) {
            return false;
        }
        wide = mr_pcg(mr_pcg((uint32_t)a) + (uint32_t)(uint64_t)v[1].i64);
        break;
    }
    *out = (int64_t)wide;
    return *out == wide;
}

static int64_t slow_saturated(float x, int64_t low, int64_t high)
{
    return isnan(x) ? 0 : (double)x <= (double)low ? low : (double)x >= (double)high ? high : (int64_t)x;
}

static uint32_t slow_word(mr_op op, const mr_lane_value *v)
{
    uint32_t a = v[0].word, b = v[1].word;
    int64_t i = (int32_t)a, j = (int32_t)b, wide = 0;
    switch (op) {
    case MR_OP_WADD:
        wide = i + j;
        break;
    case MR_OP_WSUB:
        wide = i - j;
        break;
    case MR_OP_WMUL:
        wide = i * j;
        break;
    case MR_OP_WDIV:
        wide = j == 0 ? 0 : slow_floor_div(i, j);
        break;
    case MR_OP_UDIV:
        return b == 0 ? 0 : a / b;
    case MR_OP_WMOD:
        wide = j == 0 ? 0 : i - j * slow_floor_div(i, j);
        break;
    case MR_OP_UMOD:
        return b == 0 ? 0 : a % b;
    case MR_OP_WNEG:
        wide = -i;
        break;
    case MR_OP_WABS:
        wide = i < 0 ? -i : i;
        break;
    case MR_OP_WSIGN:
        wide = i < 0 ? -1 : i > 0;
        break;
    case MR_OP_WMIN:
        wide = i < j ? i : j;
        break;
    case MR_OP_UMIN:
        return a < b ? a : b;
    case MR_OP_WMAX:
        wide = i > j ? i : j;
        break;
    case MR_OP_UMAX:
        return a > b ? a : b;
    case MR_OP_WAND:
        return a & b;
    case MR_OP_WOR:
        return a | b;
    case MR_OP_WXOR:
        return a ^ b;
    case MR_OP_WSHL:
        return b > 31 ? 0 : a << b;
    case MR_OP_WSHR:
        wide = b > 31 ? (i < 0 ? -1 : 0) : slow_floor_div(i, (int64_t)1 << b);
        break;
    case MR_OP_USHR:
        return b > 31 ? 0 : a >> b;
    case MR_OP_WWHERE:
        return v[0].truth ? b : v[2].word;
    case MR_OP_BOOL_TO_WORD:
        return v[0].truth;
    case MR_OP_F32_TO_WORD:
        wide = slow_saturated(v[0].f32, INT32_MIN, INT32_MAX);
        break;
    case MR_OP_F32_TO_UWORD:
        wide = slow_saturated(v[0].f32, 0, UINT32_MAX);
        break;
    case MR_OP_FNV:
        return slow_fnv(a, b);
    default:
        assert_int_equal(op, MR_OP_RAND_WORD);
        return slow_rand(a, b);
    }
    return (uint32_t)(uint64_t)wide;
}

static bool slow_bool(mr_op op, const mr_lane_value *v)
{
    float a = v[0].f32, b = v[1].f32;
    int64_t i = v[0].i64, j = v[1].i64;
    bool p = v[0].truth, q = v[1].truth;
    switch (op) {
    case MR_OP_LT:
        return a < b;
    case MR_OP_LE:
        return a <= b;
    case MR_OP_GT:
        return a > b;
    case MR_OP_GE:
        return a >= b;
    case MR_OP_EQ:
        return a == b;
    case MR_OP_NE:
        return a != b;
    case MR_OP_ISNAN:
        return isnan(a);
    case MR_OP_ISINF:
        return isinf(a);
    case MR_OP_ISFINITE:
        return isfinite(a);
    case MR_OP_WLT:
        return (int32_t)v[0].word < (int32_t)v[1].word;
    case MR_OP_ULT:
        return v[0].word < v[1].word;
    case MR_OP_WLE:
        return (int32_t)v[0].word <= (int32_t)v[1].word;
    case MR_OP_ULE:
        return v[0].word <= v[1].word;
    case MR_OP_WEQ:
        return v[0].word == v[1].word;
    case MR_OP_WNE:
        return v[0].word != v[1].word;
    case MR_OP_AND:
        return p && q;
    case MR_OP_OR:
        return p || q;
    case MR_OP_NOT:
        return !p;
    case MR_OP_BEQ:
        return p == q;
    case MR_OP_BWHERE:
        return p ? q : v[2].truth;
    case MR_OP_ILT:
        return i < j;
    case MR_OP_ILE:
        return i <= j;
    case MR_OP_IGT:
        return i > j;
    case MR_OP_IGE:
        return i >= j;
    case MR_OP_IEQ:
        return i == j;
    default:
        assert_int_equal(op, MR_OP_INE);
        return i != j;
    }
}

static mr_lane_value slow_operation(lane_state *s, mr_op op, const mr_lane_value *v)
{
    mr_lane_value out = { .i64 = 0 };
    switch (mr_operation_of(op)->result) {
    case MR_LANE_F32:
        if (op == MR_OP_GRADIENT2 && (v[3].i64 < 0 || v[3].i64 > 4294967295)) {
            s->failed = true;
        } else {
            out.f32 = slow_f32(op, v);
        }
        break;
    case MR_LANE_I64:
        s->failed = s->failed || !slow_i64(op, v, &out.i64);
        break;
    case MR_LANE_BOOL:
        out.truth = slow_bool(op, v);
        break;
    case MR_LANE_WORD:
        out.word = slow_word(op, v);
        break;
    }
    return out;
}

static mr_lane_value slow(lane_state *s, int at)
{
    const node *n = &s->e->nodes[at];
    mr_lane_value v[MR_OPERANDS_MAX] = { 0 }, out = { .i64 = 0 };
    float results[2];
    if (s->failed) {
        return out;
    }
    switch (n->kind) {
    case CONSTANT:
        return n->value;
    case INPUT:
        return s->inputs[n->index];
    case LAZY_AND:
        v[0] = slow(s, n->operands[0]);
        return v[0].truth ? slow(s, n->operands[1]) : v[0];
    case LAZY_OR:
        v[0] = slow(s, n->operands[0]);
        return v[0].truth ? v[0] : slow(s, n->operands[1]);
    case LAZY_IF:
        return slow(s, n->operands[slow(s, n->operands[0]).truth ? 1 : 2]);
    case CHECKED:
        v[0] = slow(s, n->operands[0]);
        s->failed = s->failed || !v[0].truth;
        return slow(s, n->operands[1]);
    case CALL:
        v[0] = slow(s, n->operands[0]);
        v[1] = slow(s, n->operands[1]);
        s->failed = s->failed || !call_one(v[0].f32, v[1].i64, results);
        out.f32 = s->failed ? 0 : results[n->index];
        return out;
    case DRAW_UNIT:
        s->draws++;
        out.f32 = mr_stream_unit(&s->streams[n->index]);
        return out;
    case DRAW_BELOW:
        v[0] = slow(s, n->operands[0]);
        if (s->failed || v[0].i64 < 0 || v[0].i64 > 4294967295) {
            s->failed = true;
            return out;
        }
        s->draws++;
        out.i64 = mr_stream_below(&s->streams[n->index], (uint32_t)v[0].i64);
        return out;
    case OPERATION:
    default:
        for (size_t i = 0; i < mr_operation_of(n->op)->arity; i++) {
            v[i] = slow(s, n->operands[i]);
        }
        return s->failed ? out : slow_operation(s, n->op, v);
    }
}

// The quick side.

static size_t calls_made;

static mr_register compile(mr_program_builder *b, const expression *e, int at)
{
    const node *n = &e->nodes[at];
    mr_register r[MR_OPERANDS_MAX] = { MR_NO_REGISTER, MR_NO_REGISTER, MR_NO_REGISTER, MR_NO_REGISTER };
    static const mr_op where[4] = { MR_OP_WHERE, MR_OP_IWHERE, MR_OP_BWHERE, MR_OP_WWHERE };
    mr_external external = { .name = "test",
                             .self = &calls_made,
                             .arity = 2,
                             .operands = { MR_LANE_F32, MR_LANE_I64 },
                             .result_count = 2,
                             .results = { MR_LANE_F32, MR_LANE_F32 },
                             .pure = true,
                             .call = call_block };
    mr_program_at(b, "test.world", (uint32_t)at + 1, 1);
    switch (n->kind) {
    case CONSTANT:
        return n->lane == MR_LANE_F32    ? mr_program_f32(b, n->value.f32)
               : n->lane == MR_LANE_I64  ? mr_program_i64(b, n->value.i64)
               : n->lane == MR_LANE_WORD ? mr_program_word(b, n->value.word)
                                         : mr_program_bool(b, n->value.truth);
    case INPUT:
        return mr_program_input(b, n->index, n->lane);
    case LAZY_AND:
    case LAZY_OR:
        r[0] = compile(b, e, n->operands[0]);
        mr_program_begin_if(b, n->kind == LAZY_AND ? r[0] : mr_program_op1(b, MR_OP_NOT, r[0]));
        r[1] = compile(b, e, n->operands[1]);
        mr_program_end_if(b);
        return mr_program_op2(b, n->kind == LAZY_AND ? MR_OP_AND : MR_OP_OR, r[0], r[1]);
    case LAZY_IF:
        r[0] = compile(b, e, n->operands[0]);
        mr_program_begin_if(b, r[0]);
        r[1] = compile(b, e, n->operands[1]);
        mr_program_end_if(b);
        mr_program_begin_if(b, mr_program_op1(b, MR_OP_NOT, r[0]));
        r[2] = compile(b, e, n->operands[2]);
        mr_program_end_if(b);
        return mr_program_op3(b, where[n->lane], r[0], r[1], r[2]);
    case CHECKED:
        r[0] = compile(b, e, n->operands[0]);
        mr_program_begin_if(b, mr_program_op1(b, MR_OP_NOT, r[0]));
        mr_program_stop(b, "checked", "check again");
        mr_program_end_if(b);
        return compile(b, e, n->operands[1]);
    case CALL:
        r[0] = compile(b, e, n->operands[0]);
        r[1] = compile(b, e, n->operands[1]);
        mr_program_at(b, "test.world", (uint32_t)at + 1, 1);
        r[2] = mr_program_call(b, &external, r);
        return r[2] == MR_NO_REGISTER ? r[2] : r[2] + n->index;
    case DRAW_UNIT:
        return mr_program_draw_unit(b, n->index);
    case DRAW_BELOW:
        r[0] = compile(b, e, n->operands[0]);
        return mr_program_draw_below(b, n->index, r[0]);
    case OPERATION:
    default:
        for (size_t i = 0; i < mr_operation_of(n->op)->arity; i++) {
            r[i] = compile(b, e, n->operands[i]);
        }
        return mr_program_op(b, n->op, r[0], r[1], r[2], r[3]);
    }
}

static mr_program *compiled(mr_context *context, const expression *e, const int *outputs, size_t count)
{
    mr_program_builder *b = mr_program_builder_create(context);
    assert_non_null(b);
    mr_register registers[4];
    for (size_t i = 0; i < count; i++) {
        registers[i] = compile(b, e, outputs[i]);
    }
    for (size_t i = 0; i < count; i++) {
        mr_program_output(b, registers[i]);
    }
    mr_error error;
    mr_program *program = mr_program_finish(b, &error);
    if (!program) {
        fail_msg("%s", error.message);
    }
    mr_program_builder_destroy(b);
    return program;
}

typedef struct data {
    union {
        float f32[LANES_MAX];
        int64_t i64[LANES_MAX];
        uint32_t truth[LANES_MAX];
    } inputs[INPUTS];
    mr_lane_value rows[LANES_MAX][INPUTS];
    uint32_t lanes[LANES_MAX];
} data;

static void fill_data(data *d, test_random *random)
{
    for (size_t i = 0; i < LANES_MAX; i++) {
        d->lanes[i] = test_below(random, LANES_MAX);
        for (size_t k = 0; k < INPUTS; k++) {
            mr_lane_value v = { .i64 = 0 };
            if (input_lanes[k] == MR_LANE_F32) {
                v.f32 = random_f32(random);
                d->inputs[k].f32[i] = v.f32;
            } else if (input_lanes[k] == MR_LANE_I64) {
                v.i64 = random_i64(random);
                d->inputs[k].i64[i] = v.i64;
            } else if (input_lanes[k] == MR_LANE_WORD) {
                v.word = random_word(random);
                d->inputs[k].truth[i] = v.word;
            } else {
                v.truth = test_below(random, 2);
                d->inputs[k].truth[i] = v.truth;
            }
            d->rows[i][k] = v;
        }
    }
}

static uint64_t word_of(mr_lane lane, mr_lane_value v)
{
    if (lane == MR_LANE_F32) {
        return isnan(v.f32) ? 0x7fc00000u : v.truth;
    }
    return lane == MR_LANE_I64 ? (uint64_t)v.i64 : v.truth;
}

static size_t draws_seen, failures_seen, skips_seen, length_seen, good_seen;

static void assert_program_equals_tree(mr_context *const *contexts, size_t context_count, uint32_t number,
                                       data *d)
{
    static expression e;
    e.random = (test_random){ number };
    e.count = 0;
    e.draws = number % 3 == 0;
    size_t output_count = 1 + number % 2;
    int outputs[4];
    for (size_t i = 0; i < output_count; i++) {
        outputs[i] =
            grow(&e, (mr_lane)test_below(&e.random, MR_LANE_COUNT), 2 + (int)test_below(&e.random, 9));
    }
    uint32_t same = test_below(&e.random, 4) ? 0 : test_u32(&e.random) & 63u;
    if (number % 16 == 0) {
        fill_data(d, &e.random);
    }
    size_t count = number % 50 == 0 ? LANES_MAX : 1 + test_below(&e.random, 60);
    bool scattered = test_below(&e.random, 3) == 0;
    size_t first = scattered ? 0 : test_below(&e.random, (uint32_t)(LANES_MAX - count + 1));

    // What the tree says.
    static uint64_t want[4][LANES_MAX];
    mr_stream streams[STREAMS] = { mr_stream_init(number, 1), mr_stream_init(number, 7) };
    lane_state s = { .e = &e, .streams = streams };
    size_t good_lanes = 0;
    for (; good_lanes < count && !s.failed; good_lanes++) {
        mr_lane_value row[INPUTS];
        for (size_t k = 0; k < INPUTS; k++) {
            row[k] = d->rows[same >> k & 1u ? 0 : scattered ? d->lanes[good_lanes] : first + good_lanes][k];
        }
        s.inputs = row;
        for (size_t k = 0; k < output_count; k++) {
            want[k][good_lanes] = word_of(e.nodes[outputs[k]].lane, slow(&s, outputs[k]));
        }
    }

    for (size_t c = 0; c < context_count; c++) {
        mr_program *program = compiled(contexts[c], &e, outputs, output_count);
        static const size_t blocks[] = { 0, 1, 7, 64 };
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            static uint64_t got[4][LANES_MAX];
            void *to[4] = { got[0], got[1], got[2], got[3] };
            mr_stream drawn[STREAMS] = { mr_stream_init(number, 1), mr_stream_init(number, 7) };
            mr_stream *drawn_from[STREAMS] = { &drawn[0], &drawn[1] };
            mr_program_input_data inputs[INPUTS];
            for (size_t k = 0; k < INPUTS; k++) {
                inputs[k] =
                    (mr_program_input_data){ &d->inputs[k], same >> k & 1u ? MR_INPUT_SAME : MR_INPUT_LANES };
            }
            uint64_t draws = 0;
            mr_program_run_data run = { .inputs = inputs,
                                        .input_count = INPUTS,
                                        .outputs = to,
                                        .lanes = scattered ? d->lanes : NULL,
                                        .first = first,
                                        .count = count,
                                        .streams = drawn_from,
                                        .stream_count = STREAMS,
                                        .draws = &draws,
                                        .block = blocks[b] };
            mr_error error = { 0 };
            bool good = mr_program_run(contexts[c], program, &run, &error);
            if (good == s.failed) {
                fail_msg("program %u: %s", number, good ? "the tree fails and it does not" : error.message);
            }
            if (s.failed) {
                assert_true(error.message[0] && error.line > 0);
                assert_string_equal(error.file, "test.world");
                failures_seen++;
                continue;
            }
            for (size_t k = 0; k < output_count; k++) {
                bool wide = e.nodes[outputs[k]].lane == MR_LANE_I64;
                for (size_t i = 0; i < count; i++) {
                    uint64_t word = wide ? got[k][i] : ((uint32_t *)got[k])[i];
                    if (word != want[k][i]) {
                        fail_msg("program %u, output %zu, lane %zu: %llx, not %llx", number, k, i,
                                 (unsigned long long)word, (unsigned long long)want[k][i]);
                    }
                }
            }
            assert_int_equal(draws, s.draws);
            assert_memory_equal(drawn, streams, sizeof drawn);
            draws_seen += draws;
            good_seen++;
            length_seen += mr_program_length(program);
        }
        mr_program_destroy(program);
    }
}

static void random_programs_equal_the_tree(void **state)
{
    mr_context *contexts[MR_ISA_COUNT];
    size_t count = 0;
    for (mr_isa isa = MR_ISA_BASE; isa <= mr_isa_best(); isa++) {
        mr_context_config config = mr_context_config_default();
        config.isa = mr_isa_name(isa);
        mr_error error;
        test_assert_ok(mr_context_create(&config, &contexts[count++], &error), &error);
    }
    data *d = malloc(sizeof *d);
    test_random random = { 1 };
    fill_data(d, &random);
    size_t programs = test_count(10000);
    for (uint32_t i = 0; i < programs; i++) {
        // Every instruction set for one program in eight, else one of them.
        if (i % 8 == 0) {
            assert_program_equals_tree(contexts, count, i, d);
        } else {
            assert_program_equals_tree(contexts + i % count, 1, i, d);
        }
    }
    print_message("%zu drawn, %zu failed, %zu instructions, %zu whole\n", draws_seen, failures_seen,
                  length_seen, good_seen);
    assert_true(draws_seen > 1000 && failures_seen > 1000);
    free(d);
    for (size_t i = 0; i < count; i++) {
        test_context_end(contexts[i]);
    }
}

static void equal_parts_are_worked_once(void **state)
{
    mr_context *context = *state;
    mr_program_builder *b = mr_program_builder_create(context);
    mr_register x = mr_program_input(b, 0, MR_LANE_F32), y = mr_program_input(b, 1, MR_LANE_F32);
    mr_register one = mr_program_op2(b, MR_OP_ADD, x, y);
    assert_int_equal(mr_program_op2(b, MR_OP_ADD, y, x), one);
    assert_int_equal(mr_program_op2(b, MR_OP_SUB, x, y) == mr_program_op2(b, MR_OP_SUB, y, x), false);
    assert_int_equal(mr_program_f32(b, 0.25f), mr_program_f32(b, 0.25f));
    assert_int_equal(mr_program_f32(b, 0.0f) == mr_program_f32(b, -0.0f), false);
    mr_register five = mr_program_op2(b, MR_OP_IADD, mr_program_i64(b, 2), mr_program_i64(b, 3));
    assert_int_equal(five, mr_program_i64(b, 5));
    // What is worked under a condition is not to be had beyond it.
    mr_program_begin_if(b, mr_program_op2(b, MR_OP_LT, x, y));
    mr_register inside = mr_program_op1(b, MR_OP_SIN, x);
    assert_int_equal(mr_program_op2(b, MR_OP_ADD, x, y), one);
    mr_program_end_if(b);
    assert_int_equal(mr_program_op1(b, MR_OP_SIN, x) == inside, false);
    mr_program_output(b, one);
    mr_program *program = mr_program_finish(b, NULL);
    assert_non_null(program);
    assert_int_equal(mr_program_length(program), 1); // nobody reads the rest
    mr_program_destroy(program);
    mr_program_builder_destroy(b);
}

static void what_no_lane_wants_is_left_out(void **state)
{
    mr_context *context = *state;
    mr_program_builder *b = mr_program_builder_create(context);
    mr_register x = mr_program_input(b, 0, MR_LANE_F32);
    mr_register high = mr_program_op2(b, MR_OP_GT, x, mr_program_f32(b, 100.0f));
    mr_program_begin_if(b, high);
    mr_external external = { .name = "test",
                             .self = &skips_seen,
                             .arity = 2,
                             .operands = { MR_LANE_F32, MR_LANE_I64 },
                             .result_count = 2,
                             .results = { MR_LANE_F32, MR_LANE_F32 },
                             .pure = true,
                             .call = call_block };
    mr_register called = mr_program_call(b, &external, (mr_register[]){ x, mr_program_i64(b, 5) });
    mr_program_end_if(b);
    mr_program_output(b, mr_program_op3(b, MR_OP_WHERE, high, called, x));
    mr_program *program = mr_program_finish(b, NULL);
    float values[600], out[600];
    for (size_t i = 0; i < 600; i++) {
        values[i] = i == 300 ? 200.0f : (float)(i % 90);
    }
    mr_program_input_data input = { values, false };
    void *outputs[1] = { out };
    mr_program_run_data run = { .inputs = &input, .input_count = 1, .outputs = outputs, .count = 600 };
    mr_error error;
    test_assert_ok(mr_program_run(context, program, &run, &error), &error);
    assert_int_equal(skips_seen, 1); // of three blocks
    for (size_t i = 0; i < 600; i++) {
        assert_true(out[i] == (i == 300 ? 105.0f : values[i]));
    }
    mr_program_destroy(program);
    mr_program_builder_destroy(b);
}

static void errors_say_what_where_and_what_is_allowed(void **state)
{
    mr_context *context = *state;
    static const struct {
        mr_op op;
        int64_t a, b;
        const char *says;
    } cases[] = {
        { MR_OP_IADD, INT64_MAX, 1, "9223372036854775807 + 1 overflows" },
        { MR_OP_ISUB, INT64_MIN, 1, "-9223372036854775808 - 1 overflows" },
        { MR_OP_IMUL, INT64_MAX, 2, "9223372036854775807 * 2 overflows" },
        { MR_OP_IDIV, INT64_MIN, -1, "-9223372036854775808 div -1 overflows" },
        { MR_OP_RANDOM, -1, 0, "seed is -1; it must be from 0 to 4294967295" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mr_program_builder *b = mr_program_builder_create(context);
        mr_program_at(b, "a.world", 12, 18);
        mr_program_output(b, mr_program_op2(b, cases[i].op, mr_program_input(b, 0, MR_LANE_I64),
                                            mr_program_input(b, 1, MR_LANE_I64)));
        mr_program *program = mr_program_finish(b, NULL);
        int64_t first[300] = { 0 }, second[300] = { 0 }, out[300];
        first[200] = cases[i].a;
        second[200] = cases[i].b;
        mr_program_input_data inputs[2] = { { first, false }, { second, false } };
        mr_program_run_data run = {
            .inputs = inputs, .input_count = 2, .outputs = (void *[]){ out }, .count = 300
        };
        mr_error error = { 0 };
        assert_false(mr_program_run(context, program, &run, &error));
        assert_text_contains(error.message, cases[i].says);
        assert_string_equal(error.file, "a.world");
        assert_int_equal(error.line, 12);
        assert_int_equal(error.column, 18);
        run.input_count = 1;
        assert_false(mr_program_run(context, program, &run, &error));
        mr_program_destroy(program);
        mr_program_builder_destroy(b);
    }
}

static void broken_building_is_an_error(void **state)
{
    mr_context *context = *state;
    for (int way = 0; way < 5; way++) {
        mr_program_builder *b = mr_program_builder_create(context);
        mr_register x = mr_program_input(b, 0, MR_LANE_F32);
        switch (way) {
        case 0:
            x = mr_program_op2(b, MR_OP_IADD, x, x);
            break;
        case 1:
            mr_program_input(b, 0, MR_LANE_I64);
            break;
        case 2:
            mr_program_end_if(b);
            break;
        case 3:
            mr_program_begin_if(b, mr_program_bool(b, true));
            break;
        default:
            x = mr_program_op1(b, MR_OP_SIN, 99);
            break;
        }
        mr_program_output(b, x);
        mr_error error = { 0 };
        assert_null(mr_program_finish(b, &error));
        assert_int_equal(error.status, MR_INTERNAL);
        mr_program_builder_destroy(b);
    }
}

// Each allocation of building and running fails in turn: an error, and nothing kept.
static void no_memory_is_an_error(void **state)
{
    mr_context *context = *state;
    static expression e;
    e.random = (test_random){ 99 };
    e.count = 0;
    int output = grow(&e, MR_LANE_F32, 5);
    bool good = false;
    for (uint64_t n = 1; !good; n++) {
        assert_true(n < 1000);
        mr_memory_fail_after(context, n, true);
        mr_program_builder *b = mr_program_builder_create(context);
        mr_program *program = NULL;
        mr_error error = { 0 };
        if (b) {
            mr_program_output(b, compile(b, &e, output));
            program = mr_program_finish(b, &error);
            assert_true(program || error.status == MR_OUT_OF_MEMORY || error.status == MR_LIMIT);
        }
        mr_program_builder_destroy(b);
        mr_program_destroy(program);
        good = program != NULL;
        mr_memory_fail_after(context, 0, false);
    }
}

static void constants_are_told_without_a_run(void **state)
{
    mr_context *context = *state;
    mr_program_builder *b = mr_program_builder_create(context);
    mr_register two = mr_program_f32(b, 2.0f);
    mr_program_output(b, mr_program_op2(b, MR_OP_POW, two, mr_program_f32(b, 5.0f)));
    mr_program *program = mr_program_finish(b, NULL);
    mr_lane_value value;
    assert_true(mr_program_constant(program, &value) && value.f32 == 32.0f);
    assert_false(mr_program_draws(program));
    mr_program_destroy(program);
    mr_program_builder_destroy(b);
}

static void the_table_knows_every_operation_by_name(void **state)
{
    for (size_t i = 0; i < MR_OP_COUNT; i++) {
        const mr_operation *operation = mr_operation_of((mr_op)i);
        assert_int_equal(operation->op, i);
        assert_ptr_equal(mr_operation_find(mr_view_of(operation->name)), operation);
        assert_non_null(operation->summary);
        assert_true(operation->arity >= 1 && operation->arity <= MR_OPERANDS_MAX);
        for (mr_isa isa = MR_ISA_BASE; isa < MR_ISA_COUNT; isa++) {
            assert_non_null(mr_operation_blocks(isa)[i]);
        }
    }
    assert_null(mr_operation_find(MR_VIEW("no")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_equal_the_tree),
        cmocka_unit_test_setup_teardown(equal_parts_are_worked_once, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(what_no_lane_wants_is_left_out, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(errors_say_what_where_and_what_is_allowed, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(broken_building_is_an_error, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(no_memory_is_an_error, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(constants_are_told_without_a_run, test_setup, test_teardown),
        cmocka_unit_test(the_table_knows_every_operation_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
