// world/builtins_elevation.c: elevation(...): a height file of the world's folder as ground.

#include "base/context.h"
#include "base/file.h"
#include "io/height.h"
#include "world/builtin_tables.h"
#include "world/call.h"

enum { FILE_NAME, SIZE, RESOLUTION, METRES_PER_CODE, BASE, RANGE, ORIGIN };

static const mr_world_type *const two_lengths[] = { &mr_type_length, &mr_type_length };
static const mr_world_type pair = { .of = MR_OF_TUPLE, .count = 2, .items = two_lengths };

static mr_binding number(const char *name, double value)
{
    return (mr_binding){ .name = name, .value = { .type = MR_NUMBER, .number = value } };
}

static mr_binding vector(const char *name, mr_datum datum)
{
    mr_binding binding = { .name = name, .value = { .type = MR_VEC2 } };
    for (int i = 0; i < 2; i++) {
        binding.value.vector[i] = (double)datum.sequence->items[i].number;
    }
    return binding;
}

// A name in the world's folder: never a path out of it.
static bool find_file(mr_evaluator *ev, const mr_call *call, char path[MR_PATH_SIZE])
{
    char name[MR_PATH_SIZE];
    mr_view text = *call->values[FILE_NAME].text;
    mr_place place = call->given[FILE_NAME]->value->place;
    if (text.size == 0 || text.size >= sizeof name || memchr(text.data, 0, text.size)) {
        return mr_evaluator_fail(ev, place, "elevation: a file's name has 1 to %zu bytes", sizeof name - 1);
    }
    mr_text_format(name, sizeof name, "%.*s", MR_VIEW_ARGS(text));
    if (name[0] == '/' || strstr(name, "..")) {
        return mr_evaluator_fail(ev, place, "elevation: %s is not in the world's folder", name);
    }
    return mr_path_join(path, ev->folder, name, ev->error) || mr_evaluator_failed_at(ev, place);
}

bool mr_call_elevation(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    char path[MR_PATH_SIZE];
    mr_height_file file = { 0 };
    mr_place place = call->given[FILE_NAME]->value->place;
    if (!find_file(ev, call, path)) {
        return false;
    }
    if (!mr_height_load(ev->context, path, &file, ev->error)) {
        return mr_evaluator_failed_at(ev, place);
    }
    if (file.coarse) {
        mr_log(ev->context, MR_LOG_WARNING, "%s has 8 bits a sample: its steps will show as terraces", path);
    }
    mr_binding bindings[8] = { { .name = "texture",
                                 .value = { .type = MR_TEXTURE, .texture = file.texture } } };
    size_t count = 1;
    bindings[count++] = vector("size", call->values[SIZE]);
    bindings[count++] = number("resolution", (double)call->values[RESOLUTION].number);
    if (call->given[METRES_PER_CODE]) {
        bindings[count++] = number("metresPerCode", (double)call->values[METRES_PER_CODE].number);
    }
    if (call->given[BASE]) {
        bindings[count++] = number("base", (double)call->values[BASE].number);
    }
    if (call->given[RANGE]) {
        bindings[count++] = vector("range", call->values[RANGE]);
    }
    if (call->given[ORIGIN]) {
        bindings[count++] = vector("origin", call->values[ORIGIN]);
    }
    mr_value made = { 0 };
    const mr_node *node = mr_node_find("terrain.from_texture");
    bool good = node ? mr_node_call(ev->context, ev->folder, node, bindings, count, &made, ev->error)
                     : mr_fail(ev->error, MR_INTERNAL, "the node terrain.from_texture is missing");
    mr_texture_release(file.texture);
    if (!good) {
        mr_fail_prefix(ev->error, "elevation");
        return mr_evaluator_failed_at(ev, call->expr->place);
    }
    return mr_make_data(ev, made, answer);
}

const mr_builtin mr_elevation_builtins[] = {
    { .name = "elevation",
      .doc = "A height file of the world's folder as ground, resampled to square cells.",
      .answer = &mr_type_raster,
      .params = { [FILE_NAME] = { "file", &mr_type_text },
                  [SIZE] = { "size", &pair },
                  [RESOLUTION] = { "resolution", &mr_type_length },
                  [METRES_PER_CODE] = { "metresPerCode", &mr_type_number, MR_PARAM_OPTIONAL },
                  [BASE] = { "base", &mr_type_length, MR_PARAM_OPTIONAL },
                  [RANGE] = { "range", &pair, MR_PARAM_OPTIONAL },
                  [ORIGIN] = { "origin", &pair, MR_PARAM_OPTIONAL } },
      .call = mr_call_elevation },
    { .name = NULL },
};
