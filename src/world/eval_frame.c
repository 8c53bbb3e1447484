// world/eval_frame.c: where parts stand. The order is scale, turn, move; turns are right-handed about +y.

#include "world/eval.h"

#include "num/exact.h"

bool mr_instance_option(mr_evaluator *ev, mr_instance *part, const char *name, const mr_world_type *want,
                        bool *found, mr_datum *answer, mr_place *place)
{
    *found = false;
    for (uint32_t i = 0; i < part->layer_count && !*found; i++) {
        const mr_decl *decl = part->layers[i]->shape->decl;
        for (size_t k = 0; decl && k < decl->option_count; k++) {
            if (!mr_view_is(decl->options[k].name, name)) {
                continue;
            }
            mr_view subject = ev->subject;
            ev->subject = decl->options[k].name;
            *found = true;
            *place = decl->options[k].value->place;
            bool good = mr_evaluate_as(ev, &part->layers[i]->scope, decl->options[k].value, want, answer);
            ev->subject = subject;
            return good;
        }
    }
    return true;
}

static void rotate(const float q[4], const float v[3], float out[3])
{
    // v + 2 w (u x v) + 2 u x (u x v), u the vector part
    float tx = 2.0f * (q[1] * v[2] - q[2] * v[1]);
    float ty = 2.0f * (q[2] * v[0] - q[0] * v[2]);
    float tz = 2.0f * (q[0] * v[1] - q[1] * v[0]);
    float x = v[0] + q[3] * tx + (q[1] * tz - q[2] * ty);
    float y = v[1] + q[3] * ty + (q[2] * tx - q[0] * tz);
    float z = v[2] + q[3] * tz + (q[0] * ty - q[1] * tx);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static void multiply_turns(const float a[4], const float b[4], float out[4])
{
    float x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    float y = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    float z = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    float w = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
}

static void frame_point(const mr_part_frame *frame, const float point[3], float out[3])
{
    float scaled[3] = { point[0] * frame->scale[0], point[1] * frame->scale[1], point[2] * frame->scale[2] };
    float turned[3];
    rotate(frame->turn, scaled, turned);
    for (int i = 0; i < 3; i++) {
        out[i] = turned[i] + frame->at[i];
    }
}

static void frame_point_back(const mr_part_frame *frame, const float point[3], float out[3])
{
    float moved[3] = { point[0] - frame->at[0], point[1] - frame->at[1], point[2] - frame->at[2] };
    float back[4] = { -frame->turn[0], -frame->turn[1], -frame->turn[2], frame->turn[3] };
    float turned[3];
    rotate(back, moved, turned);
    for (int i = 0; i < 3; i++) {
        out[i] = turned[i] / frame->scale[i];
    }
}

void mr_instance_to_world(const mr_instance *part, const float point[3], float out[3])
{
    float at[3] = { point[0], point[1], point[2] };
    for (; part; part = part->parent) {
        frame_point(&part->frame, at, at);
    }
    memcpy(out, at, sizeof at);
}

static void from_world(const mr_instance *part, const float point[3], float out[3])
{
    if (!part) {
        memcpy(out, point, 3 * sizeof *out);
        return;
    }
    float outer[3];
    from_world(part->parent, point, outer);
    frame_point_back(&part->frame, outer, out);
}

static const mr_part_frame frame_identity = { .turn = { 0, 0, 0, 1 }, .scale = { 1, 1, 1 } };

// A layer's own options of place; world says that `at` is a spot of the world.
static bool layer_frame(mr_evaluator *ev, mr_layer *layer, mr_part_frame *frame, bool *world)
{
    const mr_decl *decl = layer->shape->decl;
    mr_view subject = ev->subject;
    bool good = true;
    for (size_t i = 0; decl && good && i < decl->option_count; i++) {
        const mr_argument *option = &decl->options[i];
        mr_datum value;
        ev->subject = option->name;
        if (mr_view_is(option->name, "at")) {
            good = mr_evaluate(ev, &layer->scope, option->value, &mr_type_spot, &value);
            bool in_frame = good && value.kind == MR_DATUM_TUPLE && value.sequence->count == 3;
            good = good && mr_coerce(ev, &layer->scope, option->value, &mr_type_spot, &value);
            if (good) {
                frame->at[0] = value.spot->x;
                frame->at[1] = value.spot->y;
                frame->at[2] = value.spot->z;
                *world = !in_frame;
            }
        } else if (mr_view_is(option->name, "turn")) {
            good = mr_evaluate_as(ev, &layer->scope, option->value, &mr_type_angle, &value);
            float half = good ? value.number * 0.5f : 0;
            frame->turn[1] = mr_f32_sin(half);
            frame->turn[3] = mr_f32_cos(half);
        } else if (mr_view_is(option->name, "scale")) {
            good = mr_evaluate(ev, &layer->scope, option->value, NULL, &value);
            if (good && value.kind == MR_DATUM_TUPLE) {
                good = mr_coerce(ev, &layer->scope, option->value, &mr_type_vec3, &value);
                for (int k = 0; good && k < 3; k++) {
                    frame->scale[k] = value.sequence->items[k].number;
                }
            } else if (good) {
                good = mr_coerce(ev, &layer->scope, option->value, &mr_type_number, &value);
                frame->scale[0] = frame->scale[1] = frame->scale[2] = good ? value.number : 1;
            }
            for (int k = 0; good && k < 3; k++) {
                if (!(frame->scale[k] != 0 && frame->scale[k] - frame->scale[k] == 0)) {
                    good = mr_evaluator_fail(ev, option->value->place,
                                             "a scale is a finite number other than 0, not %g",
                                             (double)frame->scale[k]);
                }
            }
        }
    }
    ev->subject = subject;
    return good;
}

bool mr_instance_frame(mr_evaluator *ev, mr_instance *part)
{
    if (part->framed == MR_DONE) {
        return true;
    }
    if (part->framed == MR_UNDER_WAY) {
        mr_place place = part->layers[0]->shape->decl ? part->layers[0]->shape->decl->place : (mr_place){ 0 };
        return mr_evaluator_fail(ev, place, "where %s stands depends on itself", mr_instance_path(ev, part));
    }
    part->framed = MR_UNDER_WAY;
    mr_part_frame made = frame_identity;
    bool good = !part->parent || mr_instance_frame(ev, part->parent);
    for (uint32_t i = 0; good && i < part->layer_count; i++) {
        mr_part_frame inner = frame_identity;
        bool world = false;
        good = layer_frame(ev, part->layers[i], &inner, &world);
        if (good && world) {
            float back[3];
            from_world(part->parent, inner.at, back);
            memcpy(inner.at, back, sizeof back);
        }
        if (i == 0) {
            made = inner;
        } else if (good) { // the design's own place, inside the copy's frame
            float at[3], turn[4];
            frame_point(&made, inner.at, at);
            multiply_turns(made.turn, inner.turn, turn);
            memcpy(made.at, at, sizeof at);
            memcpy(made.turn, turn, sizeof turn);
            for (int k = 0; k < 3; k++) {
                made.scale[k] *= inner.scale[k];
            }
        }
    }
    part->frame = made;
    part->framed = good ? MR_DONE : MR_NOT_BEGUN;
    return good;
}
