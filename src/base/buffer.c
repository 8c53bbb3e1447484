// base/buffer.c: the pool of large blocks.
//
// Sizes are rounded up to classes, eight to a power of two, and idle buffers wait by class. A small buffer has its head
// 64 bytes in front; it is allocated at a multiple of 128, so a buffer's address is an odd multiple of 64. A large one
// begins on a multiple of 2 MiB, so that it can lie in huge pages, and has its head apart, found by address.

#include "base/context_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define MR_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MR_POISON 1
#endif
#endif
#ifdef MR_POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

struct mr_buffer {
    mr_buffer *next; // of its idle class, or of its bucket while it is large and taken
    mr_buffer *previous;
    mr_buffer *older; // among the idle of every class
    mr_buffer *newer;
    void *memory;
    size_t size;
    size_t class;
};
_Static_assert(sizeof(mr_buffer) <= 64, "a small buffer's head fits before it");

#define SMALLEST ((size_t)4096)
#define HUGE_PAGE ((size_t)2 << 20)
// More than this in idle buffers and the ones that have waited longest go back to the allocator.
#define IDLE_MOST ((size_t)512 << 20)

// The class of a size, and the class's own size: (8 + step) << shift, never below SMALLEST; large ones are whole huge
// pages. False when the size has no class.
static bool class_of(size_t size, size_t *class, size_t *rounded)
{
    if (size < SMALLEST) {
        size = SMALLEST;
    }
    if (size > SIZE_MAX / 4) {
        return false;
    }
    if (size >= HUGE_PAGE) {
        size = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    }
    unsigned shift = 60u - (unsigned)__builtin_clzll((unsigned long long)size);
    size_t step = (size + ((size_t)1 << shift) - 1) >> shift; // 8 to 16
    *class = (shift - 9) * 8 + (step - 8);
    *rounded = step << shift;
    return *class < MR_BUFFER_CLASSES;
}

static size_t bucket_of(const void *memory)
{
    return (size_t)((uintptr_t)memory / HUGE_PAGE) % MR_BUFFER_BUCKETS;
}

static void *map_large(mr_context *context, size_t size)
{
    const mr_context_config *config = &context->config;
    void *memory;
    if (config->allocate) {
        memory = config->allocate(config->user, size, HUGE_PAGE);
    } else {
        char *wide = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (wide == MAP_FAILED) {
            return NULL;
        }
        size_t before = (HUGE_PAGE - ((uintptr_t)wide & (HUGE_PAGE - 1))) & (HUGE_PAGE - 1);
        memory = wide + before;
        if (before) {
            munmap(wide, before);
        }
        munmap(wide + before + size, HUGE_PAGE - before);
    }
#ifdef MADV_HUGEPAGE
    if (memory) {
        madvise(memory, size, MADV_HUGEPAGE); // a wish: without it the buffer is only slower
    }
#endif
    return memory;
}

static void unmap_large(mr_context *context, void *memory, size_t size)
{
    if (context->config.free) {
        context->config.free(context->config.user, memory, size);
    } else {
        munmap(memory, size);
    }
}

static mr_buffer *make_large(mr_context *context, size_t size)
{
    const mr_context_config *config = &context->config;
    mr_buffer *buffer =
        config->allocate ? config->allocate(config->user, sizeof *buffer, 16) : malloc(sizeof *buffer);
    if (!buffer) {
        return NULL;
    }
    buffer->memory = map_large(context, size);
    if (!buffer->memory) {
        if (config->free) {
            config->free(config->user, buffer, sizeof *buffer);
        } else {
            free(buffer);
        }
        return NULL;
    }
    return buffer;
}

static mr_buffer *make_small(mr_context *context, size_t size)
{
    const mr_context_config *config = &context->config;
    size_t whole = size + 128;
    char *block = config->allocate ? config->allocate(config->user, whole, 128) : aligned_alloc(128, whole);
    if (!block) {
        return NULL;
    }
    mr_buffer *buffer = (mr_buffer *)(void *)block;
    buffer->memory = block + 64;
    return buffer;
}

// What a buffer costs the context.
static size_t cost(size_t size)
{
    return size >= HUGE_PAGE ? size + sizeof(mr_buffer) : size + 128;
}

static void end_buffer(mr_context *context, mr_buffer *buffer)
{
    size_t size = buffer->size;
    ASAN_UNPOISON_MEMORY_REGION(buffer->memory, size);
    if (size >= HUGE_PAGE) {
        unmap_large(context, buffer->memory, size);
    }
    if (context->config.free) {
        context->config.free(context->config.user, buffer, size >= HUGE_PAGE ? sizeof *buffer : size + 128);
    } else {
        free(buffer);
    }
    mr_memory_return(context, cost(size));
}

static void idle_remove(mr_buffer_pool *pool, mr_buffer *buffer)
{
    *(buffer->previous ? &buffer->previous->next : &pool->idle[buffer->class]) = buffer->next;
    if (buffer->next) {
        buffer->next->previous = buffer->previous;
    }
    *(buffer->older ? &buffer->older->newer : &pool->oldest) = buffer->newer;
    *(buffer->newer ? &buffer->newer->older : &pool->newest) = buffer->older;
    atomic_fetch_sub_explicit(&pool->idle_bytes, buffer->size, memory_order_relaxed);
}

static void idle_insert(mr_buffer_pool *pool, mr_buffer *buffer)
{
    buffer->previous = NULL;
    buffer->next = pool->idle[buffer->class];
    if (buffer->next) {
        buffer->next->previous = buffer;
    }
    pool->idle[buffer->class] = buffer;
    buffer->newer = NULL;
    buffer->older = pool->newest;
    *(buffer->older ? &buffer->older->newer : &pool->oldest) = buffer;
    pool->newest = buffer;
    atomic_fetch_add_explicit(&pool->idle_bytes, buffer->size, memory_order_relaxed);
}

static void large_insert(mr_buffer_pool *pool, mr_buffer *buffer)
{
    size_t bucket = bucket_of(buffer->memory);
    buffer->next = pool->large[bucket];
    pool->large[bucket] = buffer;
}

static mr_buffer *large_remove(mr_buffer_pool *pool, const void *memory)
{
    mr_buffer **at = &pool->large[bucket_of(memory)];
    while ((*at)->memory != memory) {
        at = &(*at)->next;
    }
    mr_buffer *buffer = *at;
    *at = buffer->next;
    return buffer;
}

// The newest idle buffer of the class, or of one a little larger: pages that are there are worth some room, but less of
// it where memory is short.
static mr_buffer *find_idle(const mr_context *context, size_t class)
{
    size_t beyond = context->config.memory_limit ? 2 : 8; // a quarter, or twice the size
    for (size_t at = class; at <= class + beyond && at < MR_BUFFER_CLASSES; at++) {
        if (context->buffers.idle[at]) {
            return context->buffers.idle[at];
        }
    }
    return NULL;
}

static bool fail_buffer(mr_context *context, size_t size, mr_error *error)
{
    uint64_t limit = context->config.memory_limit;
    if (!mr_refusal_here()->limit) {
        return mr_fail_memory(error, size);
    }
    *mr_refusal_here() = (mr_refusal){ 0 };
    uint64_t held = mr_context_memory_now(context);
    mr_fail(error, MR_LIMIT,
            "out of memory: %zu bytes asked for while %llu are held makes %llu; the limit is %llu bytes",
            size, (unsigned long long)held, (unsigned long long)(held + size), (unsigned long long)limit);
    return mr_hint(error, "raise the memory limit or ask for less at once");
}

void *mr_buffer_take(mr_context *context, size_t size, mr_error *error)
{
    mr_buffer_pool *pool = &context->buffers;
    size_t class, rounded;
    if (mr_memory_told_to_fail(context) || !class_of(size, &class, &rounded)) {
        mr_memory_refused(size);
        mr_fail_memory(error, size);
        return NULL;
    }
    mr_mutex_lock(&pool->mutex);
    mr_buffer *buffer = find_idle(context, class);
    if (buffer) {
        idle_remove(pool, buffer);
        rounded = buffer->size;
    }
    mr_mutex_unlock(&pool->mutex);
    if (!buffer) {
        if (!mr_memory_reserve(context, cost(rounded))) {
            fail_buffer(context, size, error);
            return NULL;
        }
        buffer = rounded >= HUGE_PAGE ? make_large(context, rounded) : make_small(context, rounded);
        if (!buffer) {
            mr_memory_return(context, cost(rounded));
            mr_memory_refused(size);
            mr_fail_memory(error, size);
            return NULL;
        }
        buffer->size = rounded;
        buffer->class = class;
    }
    if (rounded >= HUGE_PAGE) {
        mr_mutex_lock(&pool->mutex);
        large_insert(pool, buffer);
        mr_mutex_unlock(&pool->mutex);
    }
    ASAN_POISON_MEMORY_REGION(buffer->memory,
                              rounded); // so that what was asked for is all that may be touched
    ASAN_UNPOISON_MEMORY_REGION(buffer->memory, size);
#ifndef NDEBUG
    memset(buffer->memory, 0xa5, size);
#endif
    return buffer->memory;
}

// The head of a taken buffer; a large one leaves the table.
static mr_buffer *taken(mr_buffer_pool *pool, void *memory)
{
    return ((uintptr_t)memory & 127) == 64 ? (mr_buffer *)(void *)((char *)memory - 64)
                                           : large_remove(pool, memory);
}

void mr_buffer_release(mr_context *context, void *memory)
{
    if (!memory) {
        return;
    }
    mr_buffer_pool *pool = &context->buffers;
    mr_mutex_lock(&pool->mutex);
    mr_buffer *buffer = taken(pool, memory);
    ASAN_POISON_MEMORY_REGION(memory, buffer->size);
    idle_insert(pool, buffer);
    while (atomic_load_explicit(&pool->idle_bytes, memory_order_relaxed) > IDLE_MOST &&
           pool->oldest != buffer) {
        mr_buffer *oldest = pool->oldest;
        idle_remove(pool, oldest);
        end_buffer(context, oldest);
    }
    mr_mutex_unlock(&pool->mutex);
}

void mr_buffer_discard(mr_context *context, void *memory)
{
    if (!memory) {
        return;
    }
    mr_mutex_lock(&context->buffers.mutex);
    end_buffer(context, taken(&context->buffers, memory));
    mr_mutex_unlock(&context->buffers.mutex);
}

void mr_buffer_trim(mr_context *context)
{
    mr_buffer_pool *pool = &context->buffers;
    mr_mutex_lock(&pool->mutex);
    while (pool->oldest) {
        mr_buffer *oldest = pool->oldest;
        idle_remove(pool, oldest);
        end_buffer(context, oldest);
    }
    mr_mutex_unlock(&pool->mutex);
}

size_t mr_buffer_idle(const mr_context *context)
{
    return atomic_load_explicit(&((mr_context *)(uintptr_t)context)->buffers.idle_bytes,
                                memory_order_relaxed);
}

void mr_memory_open(mr_context *context)
{
    mr_mutex_init(&context->buffers.mutex);
}

void mr_memory_close(mr_context *context)
{
    mr_buffer_trim(context);
    mr_mutex_destroy(&context->buffers.mutex);
}
