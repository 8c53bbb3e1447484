// base/memory.c: counted blocks, and the count itself.

#include "base/memory.h"

#include "base/context_state.h"

#include <stdlib.h>
#include <string.h>

// In front of every block; its size keeps what follows 16-byte aligned.
typedef struct mr_block {
    size_t size; // the block's own, with this head
    uint64_t unused;
} mr_block;
_Static_assert(sizeof(mr_block) == 16, "a block's head keeps 16-byte alignment");

mr_refusal *mr_refusal_here(void)
{
    static _Thread_local mr_refusal refusal;
    return &refusal;
}

uint64_t mr_context_memory_now(const mr_context *context)
{
    return atomic_load_explicit(&((mr_context *)(uintptr_t)context)->memory_now, memory_order_relaxed);
}

uint64_t mr_context_memory_peak(const mr_context *context)
{
    return atomic_load_explicit(&((mr_context *)(uintptr_t)context)->memory_peak, memory_order_relaxed);
}

void mr_memory_fail_after(mr_context *context, uint64_t allocations, bool sticky)
{
    uint64_t now = atomic_load(&context->allocations);
    atomic_store(&context->fail_sticky, sticky);
    atomic_store(&context->fail_at, allocations ? now + allocations : 0);
}

uint64_t mr_memory_allocations(const mr_context *context)
{
    return atomic_load(&((mr_context *)(uintptr_t)context)->allocations);
}

bool mr_memory_told_to_fail(mr_context *context)
{
    uint64_t number = atomic_fetch_add_explicit(&context->allocations, 1, memory_order_relaxed) + 1;
    uint64_t fail_at = atomic_load_explicit(&context->fail_at, memory_order_relaxed);
    return fail_at && (number == fail_at || (number > fail_at && atomic_load_explicit(&context->fail_sticky,
                                                                                      memory_order_relaxed)));
}

static bool count_within(mr_context *context, uint64_t size)
{
    uint64_t limit = context->config.memory_limit ? context->config.memory_limit : UINT64_MAX;
    uint_fast64_t now = atomic_load_explicit(&context->memory_now, memory_order_relaxed);
    do {
        if (size > limit || now > limit - size) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&context->memory_now, &now, now + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    uint_fast64_t peak = atomic_load_explicit(&context->memory_peak, memory_order_relaxed);
    while (peak < now + size &&
           !atomic_compare_exchange_weak_explicit(&context->memory_peak, &peak, now + size,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    return true;
}

bool mr_memory_reserve(mr_context *context, size_t size)
{
    if (count_within(context, size)) {
        return true;
    }
    mr_buffer_trim(context);
    if (count_within(context, size)) {
        return true;
    }
    *mr_refusal_here() = (mr_refusal){ size, mr_context_memory_now(context), context->config.memory_limit };
    return false;
}

void mr_memory_return(mr_context *context, size_t size)
{
    atomic_fetch_sub_explicit(&context->memory_now, size, memory_order_relaxed);
}

void *mr_memory_refused(size_t size)
{
    *mr_refusal_here() = (mr_refusal){ .asked = size };
    return NULL;
}

void *mr_allocate(mr_context *context, size_t size)
{
    size_t whole;
    if (mr_memory_told_to_fail(context) || !mr_size_add(size, sizeof(mr_block), &whole)) {
        return mr_memory_refused(size);
    }
    if (!mr_memory_reserve(context, whole)) {
        return NULL;
    }
    const mr_context_config *config = &context->config;
    mr_block *block = config->allocate ? config->allocate(config->user, whole, 16) : malloc(whole);
    if (!block) {
        mr_memory_return(context, whole);
        return mr_memory_refused(size);
    }
    block->size = whole;
    void *memory = block + 1;
#ifndef NDEBUG
    memset(memory, 0xa5, size);
#endif
    return memory;
}

void *mr_allocate_zeroed(mr_context *context, size_t size)
{
    void *memory = mr_allocate(context, size);
    if (memory) {
        memset(memory, 0, size);
    }
    return memory;
}

void mr_free(mr_context *context, void *memory)
{
    if (!memory) {
        return;
    }
    mr_block *block = (mr_block *)memory - 1;
    size_t whole = block->size;
    if (context->config.free) {
        context->config.free(context->config.user, block, whole);
    } else {
        free(block);
    }
    mr_memory_return(context, whole);
}

static void *reallocate_by_copy(mr_context *context, void *memory, size_t size)
{
    size_t old = ((mr_block *)memory - 1)->size - sizeof(mr_block);
    void *larger = mr_allocate(context, size);
    if (larger) {
        memcpy(larger, memory, old < size ? old : size);
        mr_free(context, memory);
    }
    return larger;
}

void *mr_reallocate(mr_context *context, void *memory, size_t size)
{
    if (!memory) {
        return mr_allocate(context, size);
    }
    if (context->config.allocate) {
        return reallocate_by_copy(context, memory, size);
    }
    size_t whole;
    if (mr_memory_told_to_fail(context) || !mr_size_add(size, sizeof(mr_block), &whole)) {
        return mr_memory_refused(size);
    }
    mr_block *block = (mr_block *)memory - 1;
    size_t old = block->size;
    if (whole > old && !mr_memory_reserve(context, whole - old)) {
        return NULL;
    }
    mr_block *moved = realloc(block, whole);
    if (!moved) {
        if (whole > old) {
            mr_memory_return(context, whole - old);
        }
        return mr_memory_refused(size);
    }
    if (whole < old) {
        mr_memory_return(context, old - whole);
    }
    moved->size = whole;
    return moved + 1;
}
