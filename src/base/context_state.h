// base/context_state.h: the insides of a context, for the sources of this folder alone.

#ifndef MARRAM_BASE_CONTEXT_STATE_H
#define MARRAM_BASE_CONTEXT_STATE_H

#include "base/context.h"
#include "base/memory.h"
#include "base/thread.h"

// What a thread is doing for the library. Workers take over the deadline of the entry whose work they help with.
typedef struct mr_thread_state {
    mr_context *context;
    double deadline; // on mr_clock_seconds; 0: none
    bool owner;      // the thread that called in, and so may call progress
    double progress_at;
} mr_thread_state;
mr_thread_state *mr_thread_state_here(void);

typedef struct mr_attachment {
    struct mr_attachment *next;
    const void *key;
    void *made;
    void (*destroy)(void *made);
} mr_attachment;

typedef struct mr_buffer mr_buffer;
enum { MR_BUFFER_CLASSES = 256, MR_BUFFER_BUCKETS = 256 };

typedef struct mr_buffer_pool {
    mr_mutex mutex;
    mr_buffer *idle[MR_BUFFER_CLASSES]; // newest first, so that what is warm is taken first
    mr_buffer *large[MR_BUFFER_BUCKETS];
    mr_buffer *oldest; // of all idle buffers, in the order of their release
    mr_buffer *newest;
    atomic_size_t idle_bytes;
} mr_buffer_pool;

typedef struct mr_job mr_job;
typedef struct mr_thread_pool {
    mr_mutex mutex;
    mr_condition work;
    mr_job *jobs; // newest first: the innermost loop is the one that is waited for
    bool started;
    bool stopping;
    uint32_t worker_count;
    pthread_t *workers; // room for threads - 1
} mr_thread_pool;

struct mr_context {
    mr_context_config config;
    mr_isa isa;
    uint32_t threads;
    bool heavy;
    size_t own_size;
    atomic_bool cancelled;

    atomic_uint_fast64_t memory_now;
    atomic_uint_fast64_t memory_peak;
    atomic_uint_fast64_t allocations;
    atomic_uint_fast64_t fail_at; // the number of the allocation that fails; 0: none
    atomic_bool fail_sticky;
    mr_buffer_pool buffers;

    mr_thread_pool pool;

    mr_mutex attachments_mutex;
    mr_attachment *attachments;
};

void mr_memory_open(mr_context *context);
void mr_memory_close(mr_context *context);
void mr_pool_open(mr_context *context, pthread_t *workers);
void mr_pool_close(mr_context *context);

// Sets the thread's float state and locale to the library's own, for good; for threads that belong to the pool.
void mr_enter_worker(void);

// The last refusal of memory on this thread, for the message of mr_fail_memory. limit is 0 when it was the allocator
// that refused.
typedef struct mr_refusal {
    uint64_t asked;
    uint64_t held;
    uint64_t limit;
} mr_refusal;
mr_refusal *mr_refusal_here(void);

// The count beneath every allocation: told_to_fail counts one and says whether a test wants it refused; reserve adds
// size to what is held, giving idle buffers back first when it would pass the limit; refused notes that the allocator
// itself said no, and answers NULL.
bool mr_memory_told_to_fail(mr_context *context);
bool mr_memory_reserve(mr_context *context, size_t size);
void mr_memory_return(mr_context *context, size_t size);
void *mr_memory_refused(size_t size);

#endif
