// kernel/tree_build_surface.c: a tree by surface area. Until its own cuts are here, it takes those of Morton order.

#include "kernel/tree_state.h"

bool mr_tree_build_surface(mr_tree *tree, const mr_tree_items *items, mr_error *error)
{
    return mr_tree_build_morton(tree, items, error);
}
