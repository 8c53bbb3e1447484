// kernel/run_sides.h: the sides of a primitive's run of vertices. Everything that walks the perimeters of faces walks
// them with these, so that all agree on what a perimeter is.

#ifndef MARRAM_KERNEL_RUN_SIDES_H
#define MARRAM_KERNEL_RUN_SIDES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a slot holds that names no edge and no point. The largest i32, so that an ascending sort puts it last.
#define MR_SIDE_NONE INT32_MAX

typedef struct mr_vertex_run {
    size_t first, count;
} mr_vertex_run;

// A primitive's run as its columns state it; empty where it does not lie wholly within the vertices there are.
static inline mr_vertex_run mr_vertex_run_of(int32_t start, int32_t count, size_t vertices)
{
    bool within = start >= 0 && count > 0 && (size_t)start + (size_t)count <= vertices;
    return (mr_vertex_run){ within ? (size_t)start : 0, within ? (size_t)count : 0 };
}

// How many sides a run of count vertices has: of one that wraps as many as vertices, of an open one one fewer; none of
// fewer than two vertices. Side k leaves the run's vertex k.
static inline size_t mr_run_sides(size_t count, bool wraps)
{
    return count < 2 ? 0 : wraps ? count : count - 1;
}

// The vertex on which the run's side k ends.
static inline size_t mr_run_next(mr_vertex_run run, size_t k)
{
    return run.first + (k + 1 == run.count ? 0 : k + 1);
}

// Whether two points make a side: they differ, and are points.
static inline bool mr_side_joins(int32_t from, int32_t to)
{
    return (from != to) & ((from | to) >= 0) & (from != MR_SIDE_NONE) & (to != MR_SIDE_NONE);
}

#endif
