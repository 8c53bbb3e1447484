// graph/run.h: one node cooked once: checked, timed, its answers published. For the sources of this folder.

#ifndef MARRAM_GRAPH_RUN_H
#define MARRAM_GRAPH_RUN_H

#include "graph/cache.h"
#include "graph/graph_state.h"

// What a node's inputs are while it cooks. `owned` are references moved in; what the cook took over is MR_NONE after.
typedef struct mr_run_inputs {
    mr_value given[MR_MAX_INPUTS]; // borrowed
    mr_value owned[MR_MAX_INPUTS];
} mr_run_inputs;

// The key of a node whose inputs have these digests (input_count of them).
bool mr_run_key(const mr_graph *graph, const mr_graph_step *at, const mr_digest *inputs,
                const mr_run_inputs *values, mr_digest *key, mr_error *error);

// Cooks: outputs receive references, digests their content, seconds what it took. twice: heavy mode, in which every
// node is cooked twice and has to answer the same.
bool mr_run_cook(const mr_graph *graph, const mr_graph_step *at, mr_run_inputs *inputs, mr_cache *cache,
                 bool twice, mr_value *outputs, mr_digest *digests, double *seconds, mr_error *error);

// Puts the node's name before the message, and for its place what made the node.
bool mr_run_fail(const mr_graph_step *at, mr_error *error);

#endif
