// world/zones.c: what the parts of the world keep clear: discs of clearance, and footprints.
//
// All parts count, wherever they stand in the file, except those that derive from a scatter.

#include "world/population.h"

#include "num/exact.h"

// What derives from a scatter is passed over: answers whether a failure was only that, and clears it.
static bool passed_over(mr_evaluator *ev)
{
    if (!ev->derived) {
        return false;
    }
    ev->derived = false;
    *ev->error = (mr_error){ 0 };
    return true;
}

static float plan_turn(const mr_instance *part)
{
    float turn = 0;
    for (; part; part = part->parent) {
        if (part->frame.turn[1] != 0) {
            turn += 2.0f * mr_f32_atan2(part->frame.turn[1], part->frame.turn[3]);
        }
    }
    return turn;
}

static float plan_scale(const mr_instance *part)
{
    float scale = 1;
    for (; part; part = part->parent) {
        scale *= part->frame.scale[0];
    }
    return scale;
}

static bool add_footprint(mr_evaluator *ev, mr_instance *part, mr_datum list, mr_place place, float clearance,
                          const float at[3])
{
    for (size_t i = 0; i < list.sequence->count; i++) {
        mr_datum one = list.sequence->items[i];
        if (one.kind != MR_DATUM_OUTLINE || one.outline->kind != MR_OUTLINE_RECT) {
            return mr_evaluator_fail_with(ev, MR_BAD_INPUT, place,
                                          "write footprint: [rect(x: a ..< b, z: c ..< d)]",
                                          "a footprint is a list of rectangles");
        }
        mr_scatter_footprint made = { .x0 = one.outline->x0,
                                      .x1 = one.outline->x1,
                                      .z0 = one.outline->z0,
                                      .z1 = one.outline->z1,
                                      .at_x = at[0],
                                      .at_z = at[2],
                                      .turn = plan_turn(part),
                                      .scale = plan_scale(part),
                                      .clearance = clearance,
                                      .part = mr_instance_path(ev, part) };
        if (!mr_array_push(ev->context, &ev->zones->footprints, made)) {
            return mr_fail_memory(ev->error, sizeof made);
        }
    }
    return true;
}

// A clearance that reads the layout is the cycle error, so it is not passed over.
static bool part_options(mr_evaluator *ev, mr_instance *part)
{
    mr_datum clearance, footprint;
    bool has_clearance, has_footprint;
    mr_place place;
    ev->collecting = false;
    bool good =
        mr_instance_option(ev, part, "clearance", &mr_type_length, &has_clearance, &clearance, &place);
    if (good && has_clearance && !(clearance.number >= 0)) {
        good = mr_evaluator_fail(ev, place, "clearance is %g m; it must not be negative",
                                 (double)clearance.number);
    }
    good =
        good && mr_instance_option(ev, part, "footprint", &mr_type_list, &has_footprint, &footprint, &place);
    ev->collecting = true;
    if (!good || (!has_clearance && !has_footprint)) {
        return good;
    }
    if (!mr_instance_frame(ev, part)) {
        return passed_over(ev);
    }
    float origin[3] = { 0 }, at[3];
    mr_instance_to_world(part, origin, at);
    float radius = has_clearance ? clearance.number : 0;
    if (has_footprint) {
        return add_footprint(ev, part, footprint, place, radius, at);
    }
    mr_scatter_disc disc = { .x = at[0], .z = at[2], .radius = radius, .part = mr_instance_path(ev, part) };
    return mr_array_push(ev->context, &ev->zones->discs, disc) || mr_fail_memory(ev->error, sizeof disc);
}

static bool gather_part(mr_evaluator *ev, mr_instance *part);

static bool gather_layer(mr_evaluator *ev, mr_layer *layer)
{
    for (size_t g = 0; g < layer->shape->groups.count; g++) {
        const mr_decl *decl = layer->shape->groups.items[g];
        if (decl->kind == MR_DECL_PART && ev->shapes->by_decl[decl->id] &&
            ev->shapes->by_decl[decl->id]->design) {
            continue;
        }
        if (!mr_instance_group(ev, layer, g)) {
            if (!passed_over(ev)) {
                return false;
            }
            continue;
        }
        for (size_t i = 0; i < layer->groups[g].instances.count; i++) {
            if (!gather_part(ev, layer->groups[g].instances.items[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool gather_part(mr_evaluator *ev, mr_instance *part)
{
    if (!mr_instance_open(ev, part)) {
        return passed_over(ev);
    }
    if (part->content.kind == MR_DATUM_PLACED) {
        return true;
    }
    if (!part_options(ev, part)) {
        return false;
    }
    for (uint32_t i = 0; i < part->layer_count; i++) {
        if (!gather_layer(ev, part->layers[i])) {
            return false;
        }
    }
    return true;
}

bool mr_zones_gather(mr_evaluator *ev)
{
    if (ev->zones_state == MR_DONE) {
        return true;
    }
    if (ev->zones_state == MR_UNDER_WAY) {
        return mr_evaluator_fail_with(
            ev, MR_BAD_INPUT, (mr_place){ 0 }, "a clearance may not read what a scatter placed",
            "fields go round: a part's clearance reads a scatter that keeps clear of it");
    }
    ev->zones = mr_arena_take(&ev->main, sizeof *ev->zones);
    if (!ev->zones) {
        return mr_fail_memory(ev->error, sizeof *ev->zones);
    }
    ev->zones_state = MR_UNDER_WAY;
    bool collecting = ev->collecting, tainted = ev->tainted;
    ev->collecting = true;
    bool good = gather_part(ev, ev->root);
    ev->collecting = collecting;
    ev->tainted = tainted;
    ev->zones_state = good ? MR_DONE : MR_NOT_BEGUN;
    return good;
}

void mr_zones_destroy(mr_evaluator *ev)
{
    if (ev->zones) {
        mr_array_free(ev->context, &ev->zones->discs);
        mr_array_free(ev->context, &ev->zones->footprints);
    }
}
