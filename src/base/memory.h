// base/memory.h: memory that is counted against the context's limit.

#ifndef MARRAM_BASE_MEMORY_H
#define MARRAM_BASE_MEMORY_H

#include "base/error.h"

#include <stdatomic.h>

// Small and middling blocks, 16-byte aligned, contents undefined. NULL when the limit or the allocator says no.
void *mr_allocate(mr_context *context, size_t size);
void *mr_allocate_zeroed(mr_context *context, size_t size);
void *mr_reallocate(mr_context *context, void *memory,
                    size_t size);                // memory stays whole when NULL is answered
void mr_free(mr_context *context, void *memory); // NULL is allowed

// a * b and a + b, false when the answer does not fit.
static inline bool mr_size_multiply(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}
static inline bool mr_size_add(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

// The buffer pool: large blocks, 64-byte aligned (2 MiB and huge pages from 2 MiB on), recycled when released because
// fresh pages cost more than most kernels. Contents are undefined. Errors: MR_LIMIT with the sum, MR_OUT_OF_MEMORY.
void *mr_buffer_take(mr_context *context, size_t size, mr_error *error);
void mr_buffer_release(mr_context *context, void *buffer);
// Releases past the pool: for a buffer that was outgrown, whose size nobody asks for again.
void mr_buffer_discard(mr_context *context, void *buffer);
void mr_buffer_trim(mr_context *context);         // gives the pool's idle buffers back to the allocator
size_t mr_buffer_idle(const mr_context *context); // bytes in idle buffers; they count as held

// An arena: bump allocation, freed all at once. It is made by the caller and passed down, never hidden.
typedef struct mr_arena_block mr_arena_block;
typedef struct mr_arena_adopted mr_arena_adopted;
typedef struct mr_arena {
    mr_context *context;
    mr_arena_block *blocks;
    size_t used; // in the newest block
    mr_arena_adopted *adopted;
} mr_arena;

void mr_arena_init(mr_arena *arena, mr_context *context);
void mr_arena_destroy(mr_arena *arena);
// 16-byte aligned and zeroed; NULL when there is no memory.
void *mr_arena_take(mr_arena *arena, size_t size);
// Hands a buffer of mr_buffer_take to the arena, to be released with it. False: no memory; the buffer stays the caller's.
bool mr_arena_adopt(mr_arena *arena, void *buffer);
// A copy of size bytes with a 0 behind them.
char *mr_arena_text(mr_arena *arena, const char *text, size_t size);

// Shared ownership: a count that starts at 1.
typedef struct mr_refs {
    atomic_uint count;
} mr_refs;
static inline void mr_refs_init(mr_refs *refs)
{
    atomic_init(&refs->count, 1u);
}
static inline void mr_refs_retain(mr_refs *refs)
{
    atomic_fetch_add_explicit(&refs->count, 1u, memory_order_relaxed);
}
// True when the last owner let go.
static inline bool mr_refs_release(mr_refs *refs)
{
    // Acquire and release in one operation: ThreadSanitizer does not see a fence.
    return atomic_fetch_sub_explicit(&refs->count, 1u, memory_order_acq_rel) == 1u;
}
static inline bool mr_refs_alone(const mr_refs *refs)
{
    return atomic_load_explicit(&((mr_refs *)(uintptr_t)refs)->count, memory_order_acquire) == 1u;
}

// Tests make the context's n-th allocation from now fail (and every later one while sticky); 0 turns it off.
void mr_memory_fail_after(mr_context *context, uint64_t allocations, bool sticky);
uint64_t mr_memory_allocations(const mr_context *context);

#endif
