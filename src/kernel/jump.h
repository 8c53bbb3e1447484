// kernel/jump.h: pointer jumping over links, and connected sets.

#ifndef MARRAM_KERNEL_JUMP_H
#define MARRAM_KERNEL_JUMP_H

#include "base/context.h"

// One round over n elements, each of which links to another or to itself; a link out of 0 .. n - 1 is one to itself.
// Every element's link becomes its link's link; the arrays read and those written are not the same. So after k rounds a
// link leads 2^k steps ahead, or to the end of its chain.
typedef struct mr_jump {
    const int32_t *parent, *value;
    int32_t *parent_out, *value_out;
} mr_jump;

// List ranking (Wyllie 1979): to an element's value is added its link's, wrapping past 32 bits; one that links to
// itself keeps its own. Starting from 1 on all that link onwards and 0 on ends, ceil(log2 n) rounds give the distance
// to the end. Takes up to 8 bytes an element. Errors of both: MR_OUT_OF_MEMORY, MR_LIMIT, MR_CANCELLED.
bool mr_jump_rank(mr_context *context, const mr_jump *jump, size_t n, mr_error *error);
// An element's value becomes the lesser of it and its link's. ceil(log2 n) rounds give the least within reach.
bool mr_jump_min(mr_context *context, const mr_jump *jump, size_t n, mr_error *error);

// Gives every element the least label of the set it is in, where pair i joins elements la[i] and lb[i] to one set; a
// pair with an end out of 0 .. elements - 1 joins nothing. One call finds whole sets: what it answers is final, and
// *changed is how many labels it changed. Parallel union by least element (Jayanti and Tarjan 2016; links as in
// Jaiganesh and Burtscher 2018), so that nothing depends on the order pairs are taken in. Takes 8 bytes an element.
// Errors: MR_OUT_OF_MEMORY, MR_LIMIT, MR_CANCELLED, with labels that may be half written.
bool mr_jump_label(mr_context *context, const int32_t *la, const int32_t *lb, size_t pairs, int32_t *label,
                   size_t elements, size_t *changed, mr_error *error);

#endif
