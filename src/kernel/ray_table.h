// kernel/ray_table.h: rays through the node table of the bvh kernels, for as few rays as a tree is not worth building
// for.

#ifndef MARRAM_KERNEL_RAY_TABLE_H
#define MARRAM_KERNEL_RAY_TABLE_H

#include "kernel/bvh.h"
#include "kernel/tree.h"

// What kernel/tree.h answers, found in the table of faces->count primitives. any: *met alone is told. Errors
// (MR_BAD_INPUT): a table whose links are no tree.
bool mr_ray_table_closest(const uint32_t *nodes, const mr_faces *faces, const mr_ray *ray, mr_hit *hit,
                          mr_error *error);
bool mr_ray_table_any(const uint32_t *nodes, const mr_faces *faces, const mr_ray *ray, bool *met,
                      mr_error *error);

#endif
