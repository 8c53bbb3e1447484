// kernel/winding_boundary.c: the edges at which a run of triangles ends.
//
// Edges are brought together by a hash of their two ends and told apart by the ends themselves; one that is run both
// ways as often is no boundary.

#include "base/array.h"
#include "base/thread.h"
#include "kernel/sort.h"
#include "kernel/winding.h"

#include <string.h>

enum { GRAIN = 4096, EDGE_WORDS = 6, CORNERS = 9 };

typedef struct job {
    const float *triangles;
    size_t count; // edges: three a triangle
    uint32_t *keys, *order;
    int32_t *excess; // of the sorted places: how often an edge is too many, at its first place; 0 elsewhere
} job;

// An edge with its lesser end first.
typedef struct edge {
    const float *low, *high;
    bool turned;
} edge;

static int compare(const float *a, const float *b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (a[axis] != b[axis]) {
            return a[axis] < b[axis] ? -1 : 1;
        }
    }
    return 0;
}

static edge edge_of(const job *j, size_t number)
{
    const float *triangle = j->triangles + CORNERS * (number / 3);
    const float *from = triangle + 3 * (number % 3), *to = triangle + 3 * ((number + 1) % 3);
    bool turned = compare(from, to) > 0;
    return (edge){ turned ? to : from, turned ? from : to, turned };
}

static uint32_t mixed(uint32_t hash, float x)
{
    float plain = x + 0.0f; // the zeros are one
    uint32_t bits;
    memcpy(&bits, &plain, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b1u;
    return hash ^ hash >> 15;
}

static bool key_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        edge e = edge_of(j, i);
        uint32_t hash = 0;
        for (int axis = 0; axis < 3; axis++) {
            hash = mixed(mixed(hash, e.low[axis]), e.high[axis]);
        }
        j->keys[i] = hash;
        j->excess[i] = 0;
    }
    return true;
}

// Adds the edge at place k to the first of the run's places that holds the same.
static void count_edge(const job *j, size_t first, size_t k)
{
    edge e = edge_of(j, j->order[k]);
    if (compare(e.low, e.high) == 0) {
        return;
    }
    for (size_t i = first; i <= k; i++) {
        edge other = edge_of(j, j->order[i]);
        if (compare(e.low, other.low) == 0 && compare(e.high, other.high) == 0) {
            j->excess[i] += e.turned ? -1 : 1;
            return;
        }
    }
}

// The runs of equal keys that begin in the range.
static bool count_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t k = begin; k < end;) {
        uint32_t key = j->keys[j->order[k]];
        size_t next = k;
        bool begins = k == 0 || j->keys[j->order[k - 1]] != key;
        for (; next < j->count && j->keys[j->order[next]] == key; next++) {
            if (begins) {
                count_edge(j, k, next);
            }
        }
        k = next;
    }
    return true;
}

static void write_edges(const job *j, float *edges)
{
    for (size_t k = 0; k < j->count; k++) {
        edge e = { 0 };
        int32_t excess = j->excess[k];
        if (excess) {
            e = edge_of(j, j->order[k]);
        }
        for (; excess != 0; excess += excess > 0 ? -1 : 1, edges += EDGE_WORDS) {
            memcpy(edges, excess > 0 ? e.low : e.high, 3 * sizeof *edges);
            memcpy(edges + 3, excess > 0 ? e.high : e.low, 3 * sizeof *edges);
        }
    }
}

static size_t excess_in_all(const job *j)
{
    size_t sum = 0;
    for (size_t k = 0; k < j->count; k++) {
        sum += (size_t)(j->excess[k] < 0 ? -j->excess[k] : j->excess[k]);
    }
    return sum;
}

bool mr_winding_boundary(mr_context *context, const float *triangles, size_t triangle_count, size_t most,
                         float **edges, size_t *count, mr_error *error)
{
    size_t size;
    *edges = NULL;
    *count = 0;
    if (triangle_count > UINT32_MAX / 3 ||
        !mr_size_multiply(triangle_count, 3 * 3 * sizeof(uint32_t), &size)) {
        return mr_fail(error, MR_LIMIT, "the edges of %zu triangles do not fit", triangle_count);
    }
    uint32_t *words = mr_buffer_take(context, size, error);
    if (!words) {
        return false;
    }
    size_t n = 3 * triangle_count;
    job j = { triangles, n, words, words + n, (int32_t *)(words + 2 * n) };
    bool good = mr_parallel_for(context, n, GRAIN, key_run, &j, error) &&
                mr_sort_permutation(context, j.keys, n, 32, j.order, error) &&
                mr_parallel_for(context, n, GRAIN, count_run, &j, error);
    *count = good ? excess_in_all(&j) : 0;
    if (good && *count > 0 && *count <= most) {
        *edges = mr_buffer_take(context, *count * EDGE_WORDS * sizeof **edges, error);
        good = *edges;
    }
    if (*edges) {
        write_edges(&j, *edges);
    }
    mr_buffer_release(context, words);
    return good;
}
