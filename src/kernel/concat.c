// kernel/concat.c: one attribute of several geometries, end to end.

#include "base/thread.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 1 << 13 };
enum { SOURCES, DESC, DST };
enum { LANES, PARTS };
enum { DEFAULT_WORDS = 4, PART_WORDS = 4 };

// A geometry's words of desc.
typedef struct part {
    int32_t start, count; // elements of the answer
    int32_t shift;        // added to each of its words, modulo 2^32
    int32_t has;          // 0: it has no such attribute
} part;

typedef struct job {
    const mr_kernel_slot *sources;
    const uint32_t *fallback;
    const part *parts;
    size_t part_count;
    size_t words; // an element
    uint32_t *dst;
} job;

static bool check_part(const mr_kernel_call *call, const job *j, size_t at, mr_error *error)
{
    const part *p = &j->parts[at];
    const mr_kernel_slot *source = &j->sources[at];
    int64_t before = at > 0 ? (int64_t)p[-1].start + p[-1].count : 0;
    if (p->count < 0 || p->start < before || (int64_t)p->start + p->count > (int64_t)call->n) {
        return mr_kernel_refuse(
            error, call->kernel, "desc",
            "has geometry %zu at %d, of %d elements; it must begin at %lld or past it and end by "
            "%zu",
            at, p->start, p->count, (long long)before, call->n);
    }
    if (p->has && source->count * source->lanes < (size_t)p->count * j->words) {
        return mr_kernel_refuse(error, call->kernel, "sources",
                                "has %zu words of geometry %zu; desc states %d elements of %zu",
                                source->count * source->lanes, at, p->count, j->words);
    }
    return true;
}

static void write_fallback(const job *j, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 0; k < j->words; k++) {
            j->dst[i * j->words + k] = k < DEFAULT_WORDS ? j->fallback[k] : 0;
        }
    }
}

static void copy_part(const job *j, size_t at, size_t begin, size_t end)
{
    const part *p = &j->parts[at];
    size_t from = (begin - (size_t)p->start) * j->words, count = (end - begin) * j->words;
    const uint32_t *restrict source = j->sources[at].u32 + from;
    uint32_t *restrict dst = j->dst + begin * j->words;
    if (p->shift == 0) {
        memcpy(dst, source, count * sizeof *dst);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        dst[i] = source[i] + (uint32_t)p->shift;
    }
}

static size_t end_of(const part *p)
{
    return (size_t)p->start + (size_t)p->count;
}

// The first geometry that ends past an element.
static size_t part_at(const job *j, size_t element)
{
    size_t low = 0, high = j->part_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (end_of(&j->parts[middle]) > element) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static bool concat_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    size_t at = part_at(j, begin);
    while (begin < end) {
        const part *p = at < j->part_count ? &j->parts[at] : NULL;
        size_t start = p && (size_t)p->start < end ? (size_t)p->start : end;
        if (begin < start) {
            write_fallback(j, begin, start);
            begin = start;
            continue;
        }
        size_t stop = end_of(p) < end ? end_of(p) : end;
        if (p->has && stop > begin) {
            copy_part(j, at, begin, stop);
        } else {
            write_fallback(j, begin, stop);
        }
        begin = stop;
        at++;
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots, *dst = &slots[DST];
    size_t parts = call->params[PARTS].u32;
    job j = { .sources = slots[SOURCES].columns,
              .fallback = slots[DESC].u32,
              .parts = (const part *)(slots[DESC].i32 + DEFAULT_WORDS),
              .part_count = parts,
              .words = (size_t)call->params[LANES].u32 * dst->lanes,
              .dst = dst->u32 };
    if (slots[SOURCES].column_count != parts) {
        return mr_kernel_refuse(error, call->kernel, "sources", "has %zu columns for %zu geometries",
                                slots[SOURCES].column_count, parts);
    }
    for (size_t at = 0; at < parts; at++) {
        if (!check_part(call, &j, at, error)) {
            return false;
        }
    }
    return mr_parallel_for(call->context, call->n, GRAIN, concat_run, &j, error);
}

const mr_kernel mr_kernel_concat = {
    .name = "concat",
    .summary = "Joins one attribute of several geometries into one column, shifting what links elements.",
    .determinism = MR_EXACT,
    .gpu = "exact: words are copied or added to, and each is written once",
    .bindings = { { .name = "sources",
                    .access = MR_COLUMNS,
                    .element = MR_TAKES_WORD,
                    .flat = true,
                    .doc = "a column a geometry, in the order of their names; of one that lacks the "
                           "attribute any, "
                           "which is not read" },
                  { .name = "desc",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .flat = true,
                    .count = "parts * 4 + 4",
                    .doc = "the four words of the default (an element's words past them are 0), then of each "
                           "geometry: "
                           "its first element in the answer, how many it has, what is added to each of its "
                           "words, and "
                           "0 where it lacks the attribute. In order and apart; what none covers takes the "
                           "default" },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_T,
                    .count = "n * lanes",
                    .doc = "the joined column" } },
    .params = { { .name = "lanes",
                  .type = MR_U32,
                  .value = 1,
                  .low = 1,
                  .high = 16,
                  .doc = "how many of T an element is" },
                { .name = "parts",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = 1 << 24,
                  .doc = "geometries" } },
    .specializations = { { .name = "T",
                           .options = "u32 f32 i32 vec2 vec3 vec4 ivec2 ivec3 ivec4 mat4",
                           .doc = "what dst's elements are" } },
    .run = run,
};
