// kernel/hash_hook.c: the connected sets of points, a round of hooking and a round of finding at a time.
//
// hook: label is only read, and an entry of hooked becomes the least of what it held and of labels of the round before.
// find: links fall, so a walk along them ends at the same root however far others have shortened them meanwhile. In
// both, what is left at the end depends on what was there at the beginning alone, and not on who came first.

#include "base/thread.h"
#include "kernel/hash_search.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>

enum { LABEL = MR_HASH_BINDINGS, NRM, HOOKED };
enum { RADIUS = MR_HASH_PARAMS, COS_ANGLE };
enum { COUNT_FORM, STAGE, MATCH };
enum { STAGE_HOOK, STAGE_FIND };

typedef _Atomic uint32_t link;

typedef struct job {
    mr_context *context;
    const mr_hash_index *index;
    size_t live;
    float cos_angle;
    const uint32_t *label;
    const float *normals; // NULL: they do not matter
    link *hooked;
} job;

static void lower(link *entry, uint32_t to)
{
    uint32_t now = atomic_load_explicit(entry, memory_order_relaxed);
    while (to < now && !atomic_compare_exchange_weak_explicit(entry, &now, to, memory_order_relaxed,
                                                              memory_order_relaxed)) {
    }
}

static bool alike(const job *j, uint32_t a, uint32_t b)
{
    const float *m = j->normals + 3 * (size_t)a, *n = j->normals + 3 * (size_t)b;
    return m[0] * n[0] + m[1] * n[1] + m[2] * n[2] >= j->cos_angle;
}

// A label that is no live slot names no root: its point neither hooks nor is hooked to.
static bool hook_place(void *argument, uint32_t place, const uint32_t *near, size_t count, mr_error *error)
{
    const job *j = argument;
    uint32_t self = j->index->order[place], root = self < j->live ? j->label[self] : MR_HASH_NONE,
             least = root;
    (void)error;
    for (size_t i = 0; i < count && root < j->live; i++) {
        if (j->label[near[i]] < least && (!j->normals || alike(j, self, near[i]))) {
            least = j->label[near[i]];
        }
    }
    if (least < root && root < j->live) {
        lower(&j->hooked[root], least);
    }
    return true;
}

// A link that does not fall ends a walk, so that words that are no forest end it too.
static bool find_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t i = begin; i < end; i++) {
        uint32_t root = (uint32_t)i;
        for (uint32_t next; (next = atomic_load_explicit(&j->hooked[root], memory_order_relaxed)) < root;) {
            root = next;
        }
        atomic_store_explicit(&j->hooked[i], root, memory_order_relaxed);
    }
    return mr_keep_going(j->context, error);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    job j = { .context = call->context,
              .live = call->live,
              .cos_angle = call->params[COS_ANGLE].f32,
              .hooked = (link *)call->slots[HOOKED].u32 };
    if (call->choices[STAGE] == STAGE_FIND) {
        return mr_parallel_for(call->context, call->live, 4096, find_run, &j, error);
    }
    mr_hash_search search;
    if (!mr_hash_search_begin(call, call->live, NULL, call->live, &search, error)) {
        return false;
    }
    j.index = &search.index;
    j.label = call->slots[LABEL].u32;
    j.normals = call->choices[MATCH] ? call->slots[NRM].f32 : NULL;
    search.count = search.index.places; // every place asks
    bool good = mr_hash_search_near(&search, call->params[RADIUS].f32, true, hook_place, NULL, &j, error);
    mr_hash_search_end(&search);
    return good;
}

const mr_kernel mr_kernel_hash_hook = {
    .name = "hash_hook",
    .summary =
        "Connected sets of the points within a radius of each other, by rounds: hook links each set's root "
        "to the "
        "least root next to the set, find makes every point name its root again. With hooked copied to label "
        "between rounds, twice as many rounds as the point numbers have bits leave every set naming its "
        "least point.",
    .source = "Shiloach and Vishkin 1982, An O(log n) parallel connectivity algorithm",
    .determinism = MR_EXACT,
    .gpu = "exact: the least of fixed whole numbers, by atomic minimum; the test of the radius where nothing "
           "is fused",
    .bindings = { MR_HASH_INDEX("STAGE=hook", "n"),
                  { .name = "label",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "n",
                    .when = "STAGE=hook",
                    .doc = "Each point's root, which names itself. What names no slot takes no part." },
                  { .name = "nrm",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .count = "n",
                    .when = "STAGE=hook MATCH=normal",
                    .doc = "Each point's unit normal." },
                  { .name = "hooked",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_U32,
                    .count = "n",
                    .doc = "Links between slots: a copy of label before hook; after find, each point's root. "
                           "Links "
                           "fall, so one that does not is taken for a root's. A slot past the live count "
                           "stays." },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { MR_HASH_NUMBERS(0, 0, 0),
                MR_HASH_RADIUS(0),
                { .name = "cos_angle",
                  .type = MR_F32,
                  .value = 0,
                  .low = -1,
                  .high = 1,
                  .doc = "The least cosine of the angle between two normals that are alike." } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "STAGE",
                           .options = "hook find",
                           .doc = "hook: the search of what is near; find: the walk of each point's links to "
                                  "its root." },
                         { .name = "MATCH",
                           .options = "position normal",
                           .doc = "position: all within the radius are next to each other; normal: those of "
                                  "them whose "
                                  "normals are alike." } },
    .run = run,
};
