// kernel/order_key.c: the descriptor of order_key.h.

#include "kernel/order_key.h"

#include "kernel/kernel.h"

const mr_kernel mr_kernel_order_key = {
    .name = "order_key",
    .summary = "Functions that turn the word of a float or an integer into an unsigned key of the same "
               "order, and back.",
    .source = "T. Herf, Radix Tricks, 2001",
    .determinism = MR_EXACT,
    .gpu = "exact: bits alone",
};
