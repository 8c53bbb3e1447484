// graph/program.h: the interface by which a low floor calls a graph that a high one (the Lua host) wrote.

#ifndef MARRAM_GRAPH_PROGRAM_H
#define MARRAM_GRAPH_PROGRAM_H

#include "graph/graph.h"

typedef struct mr_graph_program mr_graph_program;

// A loader answers a program for a path relative to a folder; it keeps programs (reading a file once).
typedef struct mr_graph_loader {
    void *self;
    bool (*load)(void *self, const char *folder, const char *path, const mr_graph_program **program,
                 mr_error *error);
} mr_graph_loader;

// What proc.define declared. Inputs use the node descriptor's records, so that checking is one mechanism.
struct mr_graph_program {
    void *self;
    const char *name; // its path
    const char *summary;
    const mr_input *inputs;
    size_t input_count;
    const mr_output *outputs;
    size_t output_count;
    // Plans the graph for given inputs (checked against `inputs`), adding nodes to graph; sockets or planned values for
    // each output. Planned on one thread by one state; callable again.
    bool (*plan)(void *self, mr_graph *graph, const mr_binding *inputs, size_t count, mr_binding *outputs,
                 mr_error *error);
    // The hash of every Lua file it ran, part of what a manifest records.
    mr_digest digest;
};

// Plans, cooks and answers the outputs in declared order.
bool mr_graph_program_call(mr_context *context, const char *folder, const mr_graph_program *program,
                           const mr_binding *inputs, size_t count, mr_value *outputs, mr_cook_report *report,
                           mr_error *error);

#endif
