// world/check.h: the checker, and what it says of the standard functions' answers.

#ifndef MARRAM_WORLD_CHECK_H
#define MARRAM_WORLD_CHECK_H

#include "graph/program.h"
#include "world/scope.h"

// Checks every declaration of a file: errors and warnings go to diagnostics, at most one error a statement. Marks the
// shapes that are designs. Graphs whose names are written out are read by loader (or NULL: they are not) from folder.
// False only when there is no memory, or the context was cancelled.
bool mr_check(mr_context *context, mr_shapes *shapes, const mr_file *file, const char *folder,
              const mr_graph_loader *loader, mr_diagnostics *diagnostics, mr_error *error);

#define MR_CHECKED(name) const mr_world_type *name(mr_checker *checker, mr_checked_call *call)
MR_CHECKED(mr_check_same);
MR_CHECKED(mr_check_whole);
MR_CHECKED(mr_check_mix);
MR_CHECKED(mr_check_smoothstep);
MR_CHECKED(mr_check_root);
MR_CHECKED(mr_check_vector);
MR_CHECKED(mr_check_dot);
MR_CHECKED(mr_check_first);
MR_CHECKED(mr_check_length);
MR_CHECKED(mr_check_normalize);
MR_CHECKED(mr_check_one_of);
MR_CHECKED(mr_check_map);
MR_CHECKED(mr_check_filter);
MR_CHECKED(mr_check_find);
MR_CHECKED(mr_check_count);
MR_CHECKED(mr_check_sum);
MR_CHECKED(mr_check_extreme);
MR_CHECKED(mr_check_sort);
MR_CHECKED(mr_check_element);
MR_CHECKED(mr_check_self);
MR_CHECKED(mr_check_zip);
MR_CHECKED(mr_check_numbered);
MR_CHECKED(mr_check_land);
MR_CHECKED(mr_check_discs);
MR_CHECKED(mr_check_later);
MR_CHECKED(mr_check_draw);
MR_CHECKED(mr_check_rule);
MR_CHECKED(mr_check_scatter);
MR_CHECKED(mr_check_graph);
MR_CHECKED(mr_check_override);

#endif
