// What the world language's tests share: worlds from text, a field's value as text, all messages as text.

#ifndef MARRAM_TEST_WORLD_SUPPORT_H
#define MARRAM_TEST_WORLD_SUPPORT_H

#include "support.h"

#include "base/number_text.h"
#include "world/eval.h"
#include "world/world.h"

// graph("hill.lua")(size: 200 m, cell: 1 m, height: 5 m, rise: 0.1) without Lua: a ground about the origin that stands at
// `height`, rises by `rise` a metre along x and waves by `wave`; with a layer "dressed" that is 1 where x > 0.
static bool hill_plan(void *self, mr_graph *graph, const mr_binding *inputs, size_t count,
                      mr_binding *outputs, mr_error *error)
{
    mr_context *context = self;
    double size = 200, cell = 1, height = 5, rise = 0, wave = 0;
    const struct {
        const char *name;
        double *value;
    } all[] = {
        { "size", &size }, { "cell", &cell }, { "height", &height }, { "rise", &rise }, { "wave", &wave }
    };
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 5; k++) {
            if (strcmp(inputs[i].name, all[k].name) == 0) {
                *all[k].value = inputs[i].value.number;
            }
        }
    }
    uint32_t cells = (uint32_t)(size / cell) + 1;
    mr_raster *raster =
        mr_raster_create(context, -(int64_t)(cells / 2), -(int64_t)(cells / 2), cell, cells, cells, 0, error);
    float *heights = raster ? mr_raster_layer_write(raster, "height", 0, error) : NULL;
    float *dressed = heights ? mr_raster_layer_write(raster, "dressed", 0, error) : NULL;
    if (!dressed) {
        mr_raster_release(raster);
        return false;
    }
    heights = mr_raster_layer_write(raster, "height", 0, error);
    for (uint32_t j = 0; j < cells; j++) {
        for (uint32_t i = 0; i < cells; i++) {
            double x = ((double)i - cells / 2) * cell, z = ((double)j - cells / 2) * cell;
            double bump = (double)((i * 7919u + j * 104729u) % 1000u) / 1000.0;
            heights[j * (size_t)cells + i] = (float)(height + rise * x + wave * bump + 0 * z);
            dressed[j * (size_t)cells + i] = x > 0;
        }
    }
    outputs[0] = (mr_binding){ .name = "ground", .value = { .type = MR_RASTER, .raster = raster } };
    return true;
}

static const mr_input hill_inputs[] = {
    { .name = "size", .type = MR_NUMBER, .unit = MR_METRES, .value = 200 },
    { .name = "cell", .type = MR_NUMBER, .unit = MR_METRES, .value = 1 },
    { .name = "height", .type = MR_NUMBER, .unit = MR_METRES, .value = 5 },
    { .name = "rise", .type = MR_NUMBER, .value = 0 },
    { .name = "wave", .type = MR_NUMBER, .unit = MR_METRES, .value = 0 },
};
static const mr_output hill_outputs[] = { { .name = "ground", .type = MR_RASTER } };

typedef struct hill_loader {
    mr_graph_loader loader;
    mr_graph_program program;
} hill_loader;

static bool hill_load(void *self, const char *folder, const char *path, const mr_graph_program **program,
                      mr_error *error)
{
    hill_loader *loader = self;
    if (strcmp(path, "hill.lua") != 0) {
        return mr_fail(error, MR_BAD_INPUT, "%s is not there", path);
    }
    *program = &loader->program;
    return true;
}

static hill_loader hill_of(mr_context *context)
{
    return (hill_loader){ .loader = { .load = hill_load },
                          .program = { .self = context,
                                       .name = "hill.lua",
                                       .inputs = hill_inputs,
                                       .input_count = 5,
                                       .outputs = hill_outputs,
                                       .output_count = 1,
                                       .plan = hill_plan } };
}

// Fixtures: the context's node cache is there before the count, so that what a world leaves behind is seen.
static uint64_t held_before;
static int world_setup(void **state)
{
    mr_context *context = test_context();
    mr_cache_set_limit(context, 256u << 20);
    held_before = mr_context_memory_now(context);
    *state = context;
    return 0;
}

static int world_teardown(void **state)
{
    mr_cache_clear(*state);
    mr_buffer_trim(*state);
    assert_int_equal(mr_context_memory_now(*state), held_before);
    mr_context_destroy(*state);
    return 0;
}

static hill_loader hill; // of the test under way

static mr_world_source *open_world_set(mr_context *context, const char *text, const mr_setting *sets,
                                       size_t set_count)
{
    mr_world_source *world = NULL;
    mr_error error = { 0 };
    mr_world_source_config config = mr_world_source_config_default();
    hill = hill_of(context);
    hill.loader.self = &hill;
    config.loader = &hill.loader;
    config.sets = sets;
    config.set_count = set_count;
    test_assert_ok(
        mr_world_source_open_text(context, "test.world", mr_view_of(text), &config, &world, &error), &error);
    return world;
}

static mr_world_source *open_world(mr_context *context, const char *text)
{
    return open_world_set(context, text, NULL, 0);
}

static void show_datum(mr_text *out, mr_datum datum)
{
    char text[256];
    switch (datum.kind) {
    case MR_DATUM_NUMBER: {
        mr_f32_text(datum.number, text);
        mr_text_print(out, "%s", text);
        if (!mr_dimension_plain(datum.dimension)) {
            char name[48];
            mr_dimension_name(datum.dimension, name);
            mr_text_print(out, " %s", name);
        }
        break;
    }
    case MR_DATUM_TUPLE:
    case MR_DATUM_LIST:
    case MR_DATUM_RECORD:
        mr_text_print(out, datum.kind == MR_DATUM_LIST ? "[" : "(");
        for (size_t i = 0; i < datum.sequence->count; i++) {
            mr_text_print(out, i ? ", " : "");
            if (datum.sequence->names) {
                mr_text_print(out, "%.*s: ", MR_VIEW_ARGS(datum.sequence->names[i]));
            }
            show_datum(out, datum.sequence->items[i]);
        }
        mr_text_print(out, datum.kind == MR_DATUM_LIST ? "]" : ")");
        break;
    case MR_DATUM_RANGE:
        show_datum(out, datum.range->low);
        mr_text_print(out, datum.range->to ? " ..= " : " ..< ");
        show_datum(out, datum.range->high);
        break;
    case MR_DATUM_TEXT:
        mr_text_print(out, "\"%.*s\"", MR_VIEW_ARGS(*datum.text));
        break;
    default:
        if (!mr_datum_text(datum, text, sizeof text)) {
            mr_datum_describe(datum, text, sizeof text);
        }
        mr_text_print(out, "%s", text);
    }
}

static void world_messages(const mr_world_source *world, char *out, size_t size)
{
    const mr_diagnostics *all = mr_world_source_diagnostics(world);
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < all->list.count && used < size; i++) {
        const mr_diagnostic *one = &all->list.items[i];
        used +=
            mr_text_format(out + used, size - used, "%u:%u: %s%s%s%s%s\n", one->place.line, one->place.column,
                           one->severity == MR_WARNING ? "warning: " : "", one->message,
                           one->hint ? " (" : "", one->hint ? one->hint : "", one->hint ? ")" : "");
    }
}

// The value of a top-level field as text, or "line:column: message (hint)"; of a world that has no errors.
static void field_text(mr_context *context, const char *text, const char *field, char *out, size_t size)
{
    mr_error error = { 0 };
    mr_diagnostics diagnostics;
    mr_diagnostics_init(&diagnostics, context);
    mr_world_source *world = open_world(context, text);
    if (!mr_world_source_good(world)) {
        world_messages(world, out, size);
    } else {
        mr_scope *scope;
        mr_evaluator *ev = mr_world_evaluator(world, &error);
        assert_non_null(ev);
        scope = &ev->root->layers[0]->scope;
        mr_member *member = mr_shape_find(scope->shape, mr_view_of(field));
        assert_non_null(member);
        mr_datum value;
        if (mr_member_value(ev, scope, member, member->place, &value)) {
            mr_text shown;
            mr_text_init(&shown, context);
            show_datum(&shown, value);
            mr_text_format(out, size, "%s", shown.data ? shown.data : "");
            mr_text_destroy(&shown);
        } else {
            mr_text_format(out, size, "%u:%u: %s%s%s%s", error.line, error.column, error.message,
                           error.hint[0] ? " (" : "", error.hint, error.hint[0] ? ")" : "");
        }
        mr_evaluator_destroy(ev);
    }
    mr_world_source_destroy(world);
    mr_diagnostics_destroy(&diagnostics);
}

// Builds a world, or fails the test with what was wrong with it.
static mr_scene *build_world(mr_context *context, const char *text)
{
    mr_world_source *world = open_world(context, text);
    mr_error error = { 0 };
    mr_scene *scene = NULL;
    char messages[4096];
    world_messages(world, messages, sizeof messages);
    if (!mr_world_source_build(world, &scene, &error)) {
        fail_msg("%u:%u: %s (%s)\n%s", error.line, error.column, error.message, error.hint, messages);
    }
    mr_world_source_destroy(world);
    return scene;
}

#endif
