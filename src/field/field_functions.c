// field/field_functions.c: operators that are functions of the num floor: colors, and noise with its settings.

#include "field/field_operator.h"
#include "num/angle_noise.h"
#include "num/color.h"
#include "num/point_noise.h"

typedef bool block_call(void *self, const void *const *operands, void *const *results, size_t count,
                        mr_error *error);

// Calls a pure function of Floats.
static void call(mr_program_builder *builder, const char *name, void *self, block_call *function,
                 const mr_register *operands, uint32_t arity, mr_register *out, uint32_t results)
{
    mr_external external = { .name = name,
                             .self = self,
                             .arity = (uint8_t)arity,
                             .result_count = (uint8_t)results,
                             .pure = true,
                             .call = function };
    for (uint32_t k = 0; k < arity; k++) {
        external.operands[k] = MR_LANE_F32;
    }
    for (uint32_t k = 0; k < results; k++) {
        external.results[k] = MR_LANE_F32;
    }
    mr_register first = mr_program_call(builder, &external, operands);
    for (uint32_t k = 0; k < results; k++) {
        out[k] = first == MR_NO_REGISTER ? first : first + k;
    }
}

// Colors.

#define CHANNEL(name, function)                                                                              \
    static bool name(void *self, const void *const *operands, void *const *results, size_t count,            \
                     mr_error *error)                                                                        \
    {                                                                                                        \
        const float *in = operands[0];                                                                       \
        float *out = results[0];                                                                             \
        (void)self, (void)error;                                                                             \
        for (size_t i = 0; i < count; i++) {                                                                 \
            out[i] = function(in[i]);                                                                        \
        }                                                                                                    \
        return true;                                                                                         \
    }
CHANNEL(srgb_to_linear, mr_srgb_to_linear)
CHANNEL(linear_to_srgb, mr_linear_to_srgb)

// Three channels to three.
#define TRIPLE(name, function)                                                                               \
    static bool name(void *self, const void *const *operands, void *const *results, size_t count,            \
                     mr_error *error)                                                                        \
    {                                                                                                        \
        (void)self, (void)error;                                                                             \
        for (size_t i = 0; i < count; i++) {                                                                 \
            float in[3], out[3];                                                                             \
            for (size_t k = 0; k < 3; k++) {                                                                 \
                in[k] = ((const float *)operands[k])[i];                                                     \
            }                                                                                                \
            function(in, out);                                                                               \
            for (size_t k = 0; k < 3; k++) {                                                                 \
                ((float *)results[k])[i] = out[k];                                                           \
            }                                                                                                \
        }                                                                                                    \
        return true;                                                                                         \
    }
TRIPLE(hsv_to_rgb, mr_hsv_to_rgb)
TRIPLE(rgb_to_hsv, mr_rgb_to_hsv)

static bool blackbody(void *self, const void *const *operands, void *const *results, size_t count,
                      mr_error *error)
{
    const float *kelvin = operands[0];
    (void)self, (void)error;
    for (size_t i = 0; i < count; i++) {
        float rgb[3];
        mr_blackbody(kelvin[i], rgb);
        for (size_t k = 0; k < 3; k++) {
            ((float *)results[k])[i] = rgb[k];
        }
    }
    return true;
}

// The alpha of a Color is no light.
static void lower_channels(const field_operands *o, const char *name, block_call *function, mr_register *out)
{
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        out[l] = field_operand(o, 0, l, FIELD_F32);
        if (l < 3 || o->node->type != MR_COLUMN_COLOR) {
            call(o->builder, name, NULL, function, &out[l], 1, &out[l], 1);
        }
    }
}

void field_lower_srgb_to_linear(const field_operands *o, mr_register *out)
{
    lower_channels(o, "srgb_to_linear", srgb_to_linear, out);
}

void field_lower_linear_to_srgb(const field_operands *o, mr_register *out)
{
    lower_channels(o, "linear_to_srgb", linear_to_srgb, out);
}

static void lower_triple(const field_operands *o, const char *name, block_call *function, mr_register *out)
{
    mr_register in[3];
    for (uint32_t l = 0; l < 3; l++) {
        in[l] = field_operand(o, 0, l, FIELD_F32);
    }
    call(o->builder, name, NULL, function, in, 3, out, 3);
}

void field_lower_hsv_to_rgb(const field_operands *o, mr_register *out)
{
    lower_triple(o, "hsv_to_rgb", hsv_to_rgb, out);
}

void field_lower_rgb_to_hsv(const field_operands *o, mr_register *out)
{
    lower_triple(o, "rgb_to_hsv", rgb_to_hsv, out);
}

void field_lower_blackbody(const field_operands *o, mr_register *out)
{
    mr_register kelvin = field_operand(o, 0, 0, FIELD_F32);
    call(o->builder, "blackbody", NULL, blackbody, &kelvin, 1, out, 3);
}

// mr_luminance's sum.
void field_lower_luminance(const field_operands *o, mr_register *out)
{
    static const float weights[3] = { 0.2126f, 0.7152f, 0.0722f };
    for (uint32_t l = 0; l < 3; l++) {
        mr_register part = mr_program_op2(o->builder, MR_OP_MUL, mr_program_f32(o->builder, weights[l]),
                                          field_operand(o, 0, l, FIELD_F32));
        out[0] = l == 0 ? part : mr_program_op2(o->builder, MR_OP_ADD, out[0], part);
    }
}

// Noise.

struct field_noise {
    mr_noise_settings settings;
    mr_context *context;
    mr_angle_fbm fbm;
    mr_angle_warp warp;
};

mr_field *mr_field_noise(mr_context *context, const mr_noise_settings *settings, mr_field *at,
                         mr_error *error)
{
    if (!at) {
        return NULL;
    }
    bool curl = settings->kind == MR_NOISE_CURL3;
    mr_field *field = field_make(context, FIELD_NOISE, curl ? MR_COLUMN_VEC3 : MR_COLUMN_FLOAT, error);
    field_noise *noise = field ? mr_allocate_zeroed(context, sizeof *noise) : NULL;
    if (!noise) {
        mr_field_release(field);
        mr_fail_memory(error, sizeof *noise);
        return NULL;
    }
    noise->settings = *settings;
    noise->context = context;
    if (settings->kind == MR_NOISE_ANGLE2) {
        mr_angle_fbm_prepare(&noise->fbm, settings->seed, settings->octaves, (double)settings->lacunarity,
                             (double)settings->gain);
        mr_angle_warp_prepare(&noise->warp, &noise->fbm, settings->seed, settings->warp, settings->feature);
    }
    field->noise = noise;
    field_take_operand(field, at);
    return field;
}

static bool same_settings(const mr_noise_settings *a, const mr_noise_settings *b)
{
    return a->kind == b->kind && a->seed == b->seed && a->octaves == b->octaves &&
           a->lacunarity == b->lacunarity && a->gain == b->gain && a->jitter == b->jitter &&
           a->frequency == b->frequency && a->amplitude == b->amplitude && a->warp == b->warp &&
           a->feature == b->feature;
}

bool field_same_noise(const field_noise *a, const field_noise *b)
{
    return same_settings(&a->settings, &b->settings);
}

static bool point_block(void *self, const void *const *operands, void *const *results, size_t count,
                        mr_error *error)
{
    const field_noise *noise = self;
    const mr_noise_settings *s = &noise->settings;
    const mr_point_noise point = { (mr_point_noise_kind)s->kind, s->seed, s->octaves, s->lacunarity,
                                   s->gain };
    (void)error;
    mr_point_noise_array(mr_context_isa(noise->context), &point, operands[0], operands[1], operands[2],
                         results[0], count);
    return true;
}

static float single(const field_noise *noise, float x, float y, float z)
{
    const mr_noise_settings *s = &noise->settings;
    switch (s->kind) {
    case MR_NOISE_WORLEY2:
        return mr_cellular2(x, y, s->seed, s->jitter).f1;
    case MR_NOISE_WORLEY3:
        return mr_cellular3(x, y, z, s->seed, s->jitter).f1;
    case MR_NOISE_ANGLE_LAYER2:
        return mr_angle_gradient2(mr_lattice_of(x), mr_lattice_of(y), s->seed);
    default:
        return mr_angle_warped2(&noise->fbm, &noise->warp, (double)x, (double)y);
    }
}

static bool single_block(void *self, const void *const *operands, void *const *results, size_t count,
                         mr_error *error)
{
    const float *const *p = (const float *const *)operands;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        ((float *)results[0])[i] = single(self, p[0][i], p[1][i], p[2][i]);
    }
    return true;
}

static bool curl_block(void *self, const void *const *operands, void *const *results, size_t count,
                       mr_error *error)
{
    const mr_noise_settings *s = &((const field_noise *)self)->settings;
    const float *const *p = (const float *const *)operands;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        float out[3];
        mr_point_curl3((float[3]){ p[0][i], p[1][i], p[2][i] }, s->seed, s->frequency, s->amplitude, out);
        for (size_t k = 0; k < 3; k++) {
            ((float *)results[k])[i] = out[k];
        }
    }
    return true;
}

void field_lower_noise(const field_operands *o, field_noise *noise, mr_register *out)
{
    mr_register p[3];
    for (uint32_t l = 0; l < 3; l++) {
        p[l] = field_operand(o, 0, l, FIELD_F32);
    }
    mr_noise_kind kind = noise->settings.kind;
    block_call *function = kind <= MR_NOISE_SIMPLEX3 ? point_block
                           : kind == MR_NOISE_CURL3  ? curl_block
                                                     : single_block;
    call(o->builder, "noise", noise, function, p, 3, out, field_lanes(o->node));
}
