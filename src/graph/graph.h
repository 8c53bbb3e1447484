// graph/graph.h: nodes wired by sockets, cooked by need, in parallel, cached by content.
//
// A graph is built on one thread and cooked by one call at a time; two graphs of one context may cook at once. An input
// of a node is a planned value (known when the node is made: a number, a text, a list) or a socket (another node's
// output, known only when cooked).

#ifndef MARRAM_GRAPH_GRAPH_H
#define MARRAM_GRAPH_GRAPH_H

#include "graph/node.h"

typedef struct mr_socket {
    uint32_t node;
    uint32_t output;
} mr_socket;

typedef struct mr_binding {
    const char *name; // an input of the node
    bool wired;
    mr_socket socket; // where wired
    mr_value value;   // where not; the graph keeps a reference of its own
} mr_binding;

typedef struct mr_graph mr_graph;
mr_graph *mr_graph_create(mr_context *context, const char *folder, mr_error *error);
void mr_graph_destroy(mr_graph *graph);

// What made a node: a file's line, for errors.
typedef struct mr_origin {
    const char *file; // NULL: not known
    uint32_t line;
} mr_origin;

// Adds a node; planned inputs are checked and defaulted here, wired ones by type here and by value when cooked. Errors,
// here and when the node is cooked, have origin for their place (its file is copied): unknown or doubled input (nearest
// offered), missing required input, wrong type, out of range.
bool mr_graph_add(mr_graph *graph, const mr_node *node, const mr_binding *bindings, size_t count,
                  mr_origin origin, uint32_t *made, mr_error *error);
const mr_node *mr_graph_node(const mr_graph *graph, uint32_t index);
size_t mr_graph_size(const mr_graph *graph);

// Nodes of the registry, by their place in it.
enum { MR_NODE_SET_WORDS = 16 };
typedef struct mr_node_set {
    uint64_t bits[MR_NODE_SET_WORDS];
} mr_node_set;
void mr_node_set_add(mr_node_set *set, const mr_node *node); // one that is not in the registry is left out
void mr_node_set_join(mr_node_set *set, const mr_node_set *more);
bool mr_node_set_has(const mr_node_set *set, size_t place);

typedef struct mr_cook_report {
    size_t nodes;  // needed
    size_t cooked; // not found in the cache
    double seconds;
    mr_node_set needed; // which they were, those found in the cache too
} mr_cook_report;

// Cooks what the wanted sockets need. values receive owned references. Of several failures the one of the lowest node
// number is answered. report may be NULL.
bool mr_graph_cook(mr_graph *graph, const mr_socket *wanted, size_t count, mr_value *values,
                   mr_cook_report *report, mr_error *error);

// One node over values, through the context's cache, with no graph: what a world's call does.
bool mr_node_call(mr_context *context, const char *folder, const mr_node *node, const mr_binding *inputs,
                  size_t count, mr_value *outputs, mr_error *error);

// The context's memory cache (bytes it may hold; default 1 GiB or half the memory limit). Keys are the node's name,
// version, params and the content of its inputs.
void mr_cache_set_limit(mr_context *context, uint64_t bytes);
void mr_cache_clear(mr_context *context);

#endif
