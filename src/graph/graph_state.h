// graph/graph_state.h: the insides of a graph, for the sources of this folder.

#ifndef MARRAM_GRAPH_GRAPH_STATE_H
#define MARRAM_GRAPH_GRAPH_STATE_H

#include "base/array.h"
#include "graph/graph.h"

// An input of a node that was added: wired, or its checked value with its digest.
typedef struct mr_graph_input {
    bool wired;
    mr_socket socket;
    mr_value value;
    mr_digest digest;
} mr_graph_input;

typedef struct mr_graph_step {
    const mr_node *node;
    mr_origin origin; // its file is the graph's own
    uint32_t first_input;
    uint32_t input_count;
    uint32_t first_output; // outputs are numbered through the graph
    uint32_t output_count;
} mr_graph_step;

// A node's wires lead only to nodes added before it, so the order of adding is an order to cook in.
struct mr_graph {
    mr_context *context;
    mr_arena arena; // texts
    const char *folder;
    MR_ARRAY(mr_graph_step) nodes;
    MR_ARRAY(mr_graph_input) inputs;
    uint32_t output_count;
};

mr_digest mr_value_digest_of(const mr_value *value);

#endif
