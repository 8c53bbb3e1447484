// kernel/scatter.c: the scatter kernel.

#include "kernel/scatter.h"

#include "kernel/kernel.h"

#include <string.h>

enum { SRC, INDEX, DST, HITS, LAST, SIZE_COUNT };
enum { LANES, SCALE };
enum { T, FOLD, PASS, EXACT, SIZE };
enum { SIZE_DEVICE = 1 };

// By the option of PASS.
static const unsigned passes[] = { MR_PLACE_INIT | MR_PLACE_WORK | MR_PLACE_FINISH, MR_PLACE_INIT,
                                   MR_PLACE_WORK, MR_PLACE_FINISH };

static bool check_outputs(const mr_kernel_call *call, unsigned stages, mr_error *error)
{
    for (size_t i = DST; i <= LAST; i++) {
        if (!(stages & MR_PLACE_INIT) && call->slots[i].made) {
            return mr_kernel_refuse(error, call->kernel, call->kernel->bindings[i].name,
                                    "is not bound; this pass goes on from what the passes before it wrote");
        }
    }
    return true;
}

// The places there are: those the outputs hold, or as many of them as the live size says.
static size_t places_of(const mr_kernel_call *call, size_t words)
{
    const mr_kernel_slot *slots = call->slots, *dst = &slots[DST];
    size_t places = dst->count * dst->lanes / words;
    places = slots[HITS].count < places ? slots[HITS].count : places;
    places = slots[LAST].count < places ? slots[LAST].count : places;
    if (call->choices[SIZE] == SIZE_DEVICE) {
        size_t live = *slots[SIZE_COUNT].u32;
        places = live < places ? live : places;
    }
    return places;
}

static void clear_past(const mr_kernel_slot *slot, size_t places, size_t words)
{
    if (slot->made) {
        memset(slot->u32 + places * words, 0,
               (slot->count * slot->lanes - places * words) * sizeof(uint32_t));
    }
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots, *src = &slots[SRC];
    unsigned stages = passes[call->choices[PASS]];
    size_t words = (size_t)call->params[LANES].u32 * slots[DST].lanes, given = src->count * src->lanes;
    bool floats = slots[DST].element == MR_F32, exact = floats && call->choices[EXACT];
    if (!check_outputs(call, stages, error)) {
        return false;
    }
    if (exact && stages != passes[0]) {
        return mr_kernel_refuse(
            error, call->kernel, NULL,
            "EXACT holds sums that are no floats between the passes; specialize PASS to whole");
    }
    if ((stages & MR_PLACE_WORK) && given < call->n * words) {
        return mr_kernel_refuse(error, call->kernel, "src",
                                "holds %zu words; %zu elements of %zu are asked for", given, call->n, words);
    }
    mr_place_fold scatter = {
        .fold = (mr_place_rule)call->choices[FOLD],
        .whole_numbers = !floats,
        .exact = exact,
        .scale = call->params[SCALE].f32,
        .from = src->u32,
        .index = slots[INDEX].i32,
        .count = call->live,
        .words = words,
        .to = slots[DST].u32,
        .hits = slots[HITS].i32,
        .last = slots[LAST].i32,
        .places = places_of(call, words),
    };
    clear_past(&slots[DST], scatter.places, words);
    clear_past(&slots[HITS], scatter.places, 1);
    clear_past(&slots[LAST], scatter.places, 1);
    return mr_fold_into_places(call->context, &scatter, stages, error);
}

const mr_kernel mr_kernel_scatter = {
    .name = "scatter",
    .summary = "Folds the elements of a column into the places that a run of indices names, and counts them.",
    .determinism = MR_FLOAT_ORDER,
    .gpu = "exact but for the add and mean of floats, which sum in the order they arrive; EXACT makes those "
           "exact too",
    .bindings = { { .name = "src",
                    .access = MR_READ,
                    .element = MR_TAKES_T,
                    .flat = true,
                    .when = "PASS=whole; PASS=fold",
                    .doc = "n elements" },
                  { .name = "index",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "PASS=whole; PASS=fold",
                    .doc = "the place each element goes to; one outside 0 to size - 1 is skipped" },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_T,
                    .count = "size * lanes",
                    .doc = "what came of each place's elements; zeros where nothing did. New past the live "
                           "places: "
                           "zeros; bound: left alone" },
                  { .name = "hits",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "size",
                    .doc = "elements folded into each place" },
                  { .name = "last",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "size",
                    .doc = "one more than the greatest source index that reached each place, 0 for none" },
                  { .name = "size_count",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "1",
                    .when = "SIZE=device",
                    .doc = "how many of the size places there are" },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "lanes",
                  .type = MR_U32,
                  .value = 1,
                  .low = 1,
                  .high = 16,
                  .doc = "how many of T an element is" },
                { .name = "scale",
                  .type = MR_F32,
                  .value = 1024,
                  .low = 0x1p-100,
                  .high = 0x1p100,
                  .doc = "EXACT: numbers are rounded to multiples of 1 / scale" } },
    .specializations = { { .name = "T",
                           .options = "f32 i32 vec2 vec3 vec4 ivec2 ivec3 ivec4",
                           .doc = "what dst's elements are; left out, those of src" },
                         { .name = "FOLD",
                           .options = "add min max mean set",
                           .doc = "add: floats from +0 in the order of the source, integers modulo 2^32. "
                                  "min, max: lane "
                                  "by lane, -0 below +0, NaN past +infinity. mean: of integers rounded "
                                  "toward 0. set: "
                                  "the element of the greatest source index" },
                         { .name = "PASS",
                           .options = "whole init fold finish",
                           .doc = "the three passes at once, or one of them over the outputs of the one "
                                  "before; the "
                                  "sums of an integer mean are then modulo 2^32" },
                         { .name = "EXACT",
                           .options = "off on",
                           .doc = "on: floats are added as multiples of 1 / scale, in 32 bits, which wrap" },
                         { .name = "SIZE",
                           .options = "plain device",
                           .doc =
                               "device: size is a capacity and size_count holds how many places there are" },
                         MR_KERNEL_COUNT },
    .run = run,
};
