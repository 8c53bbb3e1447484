// kernel/gather.c: elements picked by a run of indices.

#include "kernel/gather.h"

#include "base/thread.h"
#include "kernel/kernel.h"

#include <string.h>

enum {
    GRAIN = 1 << 14,
    AHEAD = 64, // elements whose memory is asked for before it is their turn
    LINE = 64   // bytes
};

typedef struct job {
    const uint32_t *from;
    size_t held, words;
    const int32_t *index;
    uint32_t *to;
} job;

static inline void pick(const job *j, size_t words, size_t i)
{
    size_t at = (uint32_t)j->index[i];
    if (at < j->held) {
        memcpy(j->to + i * words, j->from + at * words, words * sizeof(uint32_t));
    } else {
        memset(j->to + i * words, 0, words * sizeof(uint32_t));
    }
}

// An element may lie on two lines. What lies past the source is asked for too: a wish reads nothing.
static inline void ask_for(const job *j, size_t words, size_t i)
{
    uintptr_t at = (uintptr_t)j->from + (size_t)(uint32_t)j->index[i] * words * sizeof(uint32_t);
    __builtin_prefetch((const void *)at);
    if (words > 1 && LINE % (words * sizeof(uint32_t)) != 0) {
        __builtin_prefetch((const void *)(at + words * sizeof(uint32_t) - 1));
    }
}

static inline void pick_run(const job *j, size_t words, size_t begin, size_t end)
{
    size_t i = begin;
    for (; i + AHEAD < end; i++) {
        ask_for(j, words, i + AHEAD);
        pick(j, words, i);
    }
    for (; i < end; i++) {
        pick(j, words, i);
    }
}

static bool gather_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    switch (j->words) {
    case 1:
        pick_run(j, 1, begin, end);
        break;
    case 2:
        pick_run(j, 2, begin, end);
        break;
    case 3:
        pick_run(j, 3, begin, end);
        break;
    case 4:
        pick_run(j, 4, begin, end);
        break;
    default:
        pick_run(j, j->words, begin, end);
        break;
    }
    return true;
}

bool mr_gather(mr_context *context, const uint32_t *from, size_t held, size_t words, const int32_t *index,
               size_t count, uint32_t *to, mr_error *error)
{
    job j = { from, held, words, index, to };
    return mr_parallel_for(context, count, GRAIN, gather_run, &j, error);
}

enum { SRC, INDEX, DST };

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots, *src = &slots[SRC], *dst = &slots[DST];
    memset(dst->u32 + call->live * src->lanes, 0, (call->n - call->live) * src->lanes * sizeof(uint32_t));
    return mr_gather(call->context, src->u32, src->count, src->lanes, slots[INDEX].i32, call->live, dst->u32,
                     error);
}

const mr_kernel mr_kernel_gather = {
    .name = "gather",
    .summary = "Picks elements of a column by a run of indices.",
    .determinism = MR_EXACT,
    .gpu = "exact: words are copied, and each is written once",
    .bindings = { { .name = "src", .access = MR_READ, .element = MR_TAKES_T, .doc = "what is picked from" },
                  { .name = "index",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "which element each is" },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_T,
                    .count = "n",
                    .doc = "src[index]; zeros where the index is below 0 or past the end of src, and past "
                           "the live "
                           "slots" },
                  MR_KERNEL_DOMAIN_COUNT },
    .specializations = { { .name = "T",
                           .options = "f32 i32 vec2 vec3 vec4 ivec2 ivec3 ivec4 u32 mat4",
                           .doc = "the element; left out, that of src" },
                         MR_KERNEL_COUNT },
    .run = run,
};
