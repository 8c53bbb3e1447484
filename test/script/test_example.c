// A graph of the terrain's nodes, as a world's author writes one.

#include "support.h"

#include "script/loader.h"

static const char graph_text[] =
    "-- ridge.lua: a ridge, for a world's ground\n"
    "return proc.define {\n"
    "    summary = \"A mountain ridge across a square of ground.\",\n"
    "    inputs = {\n"
    "        { \"size\", \"Number\", 512, unit = \"m\", min = 64, doc = \"Side of the square.\" },\n"
    "        { \"height\", \"Number\", 320, unit = \"m\", doc = \"Crest above the plain.\" },\n"
    "        { \"seed\", \"Int\", 1 },\n"
    "    },\n"
    "    outputs = { { \"ground\", \"Raster\" } },\n"
    "    build = function(g, inputs)\n"
    "        local ground = g.terrain.source { size = { inputs.size, inputs.size }, resolution = 2 }\n"
    "        ground = g.terrain.ridge { raster = ground, from = { -800, 0 }, to = { 800, 120 }, radius = "
    "420,\n"
    "            height = inputs.height }\n"
    "        ground = g.terrain.fbm { raster = ground, featureSize = 300, amplitude = inputs.height * 0.25,\n"
    "            seed = inputs.seed, ridge = true }\n"
    "        return { ground = ground }\n"
    "    end,\n"
    "}\n";

static mr_digest cook(uint32_t threads, double seed, double *relief)
{
    char folder[MR_PATH_SIZE], path[MR_PATH_SIZE];
    mr_error error = { 0 };
    mr_context *context = test_context_of(threads, 0);
    mr_script_loader *loader = mr_script_loader_create(context, NULL, &error);
    mr_graph_loader face = mr_script_loader_interface(loader);
    const mr_graph_program *program = NULL;
    test_folder(folder);
    snprintf(path, sizeof path, "%.400s/ridge.lua", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(graph_text, file);
    fclose(file);
    test_assert_ok(face.load(face.self, folder, "ridge.lua", &program, &error), &error);
    mr_binding inputs[] = { { .name = "seed", .value = mr_value_number(seed) } };
    mr_value ground = { 0 };
    test_assert_ok(mr_graph_program_call(context, folder, program, inputs, 1, &ground, NULL, &error), &error);
    assert_int_equal(ground.type, MR_RASTER);
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_value_digest(&ground, &digester);
    float low, high;
    assert_true(mr_raster_range(ground.raster, "height", &low, &high));
    *relief = (double)(high - low);
    mr_value_release(&ground);
    mr_script_loader_destroy(loader);
    test_folder_remove(folder);
    mr_context_destroy(context);
    return mr_digest_end(&digester);
}

static void a_ridge_of_terrain_nodes_is_the_same_on_any_threads(void **state)
{
    double relief;
    mr_digest one = cook(1, 7, &relief);
    assert_true(relief > 100 && relief < 500);
    mr_digest three = cook(3, 7, &relief);
    assert_true(mr_digest_equal(one, three));
    assert_false(mr_digest_equal(one, cook(1, 8, &relief)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ridge_of_terrain_nodes_is_the_same_on_any_threads),
    };
    return cmocka_run_group_tests_name("script example", tests, NULL, NULL);
}
