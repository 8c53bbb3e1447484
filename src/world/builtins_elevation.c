// world/builtins_elevation.c: elevation(...): a height file of the world's folder as ground.

#include "base/file.h"
#include "io/height.h"
#include "world/builtin_tables.h"
#include "world/call.h"

enum { FILE_NAME, SIZE, RESOLUTION, ORIGIN, METRES_PER_CODE, BASE, RANGE };

static const mr_world_type *const two_lengths[] = { &mr_type_length, &mr_type_length };
static const mr_world_type pair_of_lengths = { .of = MR_OF_TUPLE, .count = 2, .items = two_lengths };

// A file named in a world stands in the world's folder.
static bool path_in_folder(mr_evaluator *ev, mr_view name, char path[MR_PATH_SIZE])
{
    char text[MR_PATH_SIZE];
    mr_text_format(text, sizeof text, "%.*s", MR_VIEW_ARGS(name));
    bool leaves = text[0] == '/' || text[0] == 0 || strlen(text) != name.size;
    for (const char *at = text; *at; at++) {
        bool begins = at == text || at[-1] == '/';
        leaves |= begins && at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == 0);
    }
    if (leaves) {
        return mr_fail(ev->error, MR_BAD_INPUT, "%s stands outside the world's folder", text);
    }
    return mr_path_join(path, ev->folder, text, ev->error);
}

static mr_value vector2(double x, double y)
{
    return (mr_value){ .type = MR_VEC2, .vector = { x, y } };
}

static double metres(mr_datum tuple, size_t i)
{
    return (double)mr_datum_as_number(tuple.sequence->items[i]);
}

static size_t bind(const mr_call *call, const mr_height_file *file, mr_binding *bindings)
{
    size_t count = 0;
    bool placed = file->has_place && !call->given[SIZE] && !call->given[RESOLUTION];
    bindings[count++] =
        (mr_binding){ .name = "texture", .value = { .type = MR_TEXTURE, .texture = file->texture } };
    if (call->given[SIZE]) {
        bindings[count++] =
            (mr_binding){ .name = "size",
                          .value = vector2(metres(call->values[SIZE], 0), metres(call->values[SIZE], 1)) };
    }
    if (call->given[RESOLUTION] || placed) {
        double cell = placed ? file->cell : (double)call->values[RESOLUTION].number;
        bindings[count++] = (mr_binding){ .name = "resolution", .value = mr_value_number(cell) };
    }
    if (call->given[ORIGIN]) {
        bindings[count++] = (mr_binding){ .name = "origin",
                                          .value = vector2(metres(call->values[ORIGIN], 0),
                                                           metres(call->values[ORIGIN], 1)) };
    } else if (placed) {
        double x = ((double)file->corner_x + ((double)file->texture->width - 1) / 2) * file->cell;
        double z = ((double)file->corner_z + ((double)file->texture->height - 1) / 2) * file->cell;
        bindings[count++] = (mr_binding){ .name = "origin", .value = vector2(x, z) };
    }
    if (call->given[METRES_PER_CODE]) {
        bindings[count++] =
            (mr_binding){ .name = "metresPerCode",
                          .value = mr_value_number((double)call->values[METRES_PER_CODE].number) };
    }
    if (call->given[BASE]) {
        bindings[count++] =
            (mr_binding){ .name = "base", .value = mr_value_number((double)call->values[BASE].number) };
    }
    if (call->given[RANGE]) {
        const mr_interval *range = call->values[RANGE].range;
        bindings[count++] =
            (mr_binding){ .name = "range",
                          .value = vector2((double)range->low.number, (double)range->high.number) };
    }
    return count;
}

static bool call_elevation(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    char path[MR_PATH_SIZE];
    mr_height_file file = { 0 };
    const mr_node *node = mr_node_find("terrain.from_texture");
    if (!node) {
        return mr_evaluator_fail(ev, call->expr->place, "this build has no node terrain.from_texture");
    }
    mr_view name = *call->values[FILE_NAME].text;
    if (!path_in_folder(ev, name, path) || !mr_height_load(ev->context, path, &file, ev->error)) {
        return mr_evaluator_failed_at(ev, call->given[FILE_NAME]->value->place);
    }
    if (file.coarse && ev->diagnostics) {
        mr_diagnose(ev->diagnostics, MR_WARNING, ev->file->path, call->given[FILE_NAME]->value->place, NULL,
                    "%.*s holds only 8 bits a sample: its steps will show as terraces", MR_VIEW_ARGS(name));
    }
    mr_binding bindings[8] = { 0 };
    mr_value outputs[MR_MAX_OUTPUTS] = { 0 };
    size_t count = bind(call, &file, bindings);
    bool good = mr_node_call(ev->context, ev->folder, node, bindings, count, outputs, ev->error);
    mr_texture_release(file.texture);
    if (!good) {
        mr_fail_prefix(ev->error, "elevation");
        return mr_evaluator_failed_at(ev, call->expr->place);
    }
    return mr_make_data(ev, outputs[0], answer);
}

const mr_builtin mr_elevation_builtins[] = {
    { .name = "elevation",
      .doc = "A height file (PNG or EXR) of the world's folder as ground, resampled by Catmull-Rom.",
      .answer = &mr_type_raster,
      .params = { [FILE_NAME] = { "file", &mr_type_text },
                  [SIZE] = { "size", &pair_of_lengths, MR_PARAM_OPTIONAL },
                  [RESOLUTION] = { "resolution", &mr_type_length, MR_PARAM_OPTIONAL },
                  [ORIGIN] = { "origin", &pair_of_lengths, MR_PARAM_OPTIONAL },
                  [METRES_PER_CODE] = { "metresPerCode", &mr_type_number, MR_PARAM_OPTIONAL },
                  [BASE] = { "base", &mr_type_length, MR_PARAM_OPTIONAL },
                  [RANGE] = { "range", &mr_type_length_range, MR_PARAM_OPTIONAL } },
      .call = call_elevation },
    { 0 }
};
