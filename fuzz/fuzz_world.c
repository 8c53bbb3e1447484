// Any bytes as a world: it is parsed, checked and, when nothing is wrong with it, built within small limits. Whatever it
// does, it ends, leaves no memory behind, and answers the same when it is run again.

#include "world/world.h"

#include "base/context.h"

#include <stdlib.h>

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void digest_messages(const mr_world_source *world, mr_digester *digester)
{
    mr_text text;
    const mr_diagnostics *diagnostics = mr_world_source_diagnostics(world);
    mr_text_init(&text, diagnostics->context);
    mr_world_source_print(world, &text);
    mr_digest_bytes(digester, text.data ? text.data : "", text.size);
    mr_text_destroy(&text);
}

static mr_digest run(const uint8_t *data, size_t size)
{
    mr_context_config wanted = mr_context_config_default();
    wanted.threads = 1;
    wanted.memory_limit = 96u << 20;
    wanted.isa = "base";
    mr_context *context = NULL;
    mr_error error = { 0 };
    check(mr_context_create(&wanted, &context, &error));
    mr_cache_set_limit(context, 1u << 20);
    uint64_t held = mr_context_memory_now(context);
    mr_world_source_config config = mr_world_source_config_default();
    config.elements = 5000;
    config.depth = 120;
    config.steps = 60000;
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_world_source *world = NULL;
    bool opened = mr_world_source_open_text(context, "fuzz.world", (mr_view){ (const char *)data, size },
                                            &config, &world, &error);
    check(opened || error.message[0]);
    if (opened) {
        mr_scene *scene = NULL;
        bool built = mr_world_source_good(world) && mr_world_source_build(world, &scene, &error);
        if (built) {
            mr_digest hash = mr_scene_digest(scene);
            mr_digest_u64(&digester, hash.low);
            mr_scene_destroy(scene);
        } else if (mr_world_source_good(world)) {
            check(error.message[0] && error.status != MR_OK && error.status != MR_INTERNAL);
            // Where memory ends depends on what the allocator's caller did before; all else is the world's own.
            bool memory = error.status == MR_LIMIT || error.status == MR_OUT_OF_MEMORY;
            mr_digest_text(&digester, mr_view_of(memory ? "" : error.message));
        }
        digest_messages(world, &digester);
        mr_world_source_destroy(world);
    }
    mr_cache_clear(context);
    mr_buffer_trim(context);
    check(mr_context_memory_now(context) == held);
    mr_context_destroy(context);
    return mr_digest_end(&digester);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 16384) {
        return 0;
    }
    mr_digest first = run(data, size);
    if (size < 512) {
        mr_digest again = run(data, size);
        check(mr_digest_equal(first, again));
    }
    return 0;
}
