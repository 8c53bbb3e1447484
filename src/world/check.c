#include "world/check.h"

#include "world/designs.h"

bool mr_check(mr_context *context, mr_shapes *shapes, const mr_file *file, mr_diagnostics *diagnostics,
              mr_error *error)
{
    (void)context;
    (void)file;
    (void)diagnostics;
    (void)error;
    mr_designs_mark(shapes);
    return true;
}

#define STUB(name)                                                                                           \
    MR_CHECKED(name)                                                                                         \
    {                                                                                                        \
        (void)checker;                                                                                       \
        (void)call;                                                                                          \
        return &mr_type_any;                                                                                 \
    }

STUB(mr_check_same)
STUB(mr_check_whole)
STUB(mr_check_mix)
STUB(mr_check_smoothstep)
STUB(mr_check_root)
STUB(mr_check_vector)
STUB(mr_check_dot)
STUB(mr_check_first)
STUB(mr_check_length)
STUB(mr_check_normalize)
STUB(mr_check_one_of)
STUB(mr_check_map)
STUB(mr_check_filter)
STUB(mr_check_find)
STUB(mr_check_count)
STUB(mr_check_sum)
STUB(mr_check_extreme)
STUB(mr_check_sort)
STUB(mr_check_element)
STUB(mr_check_self)
STUB(mr_check_zip)
STUB(mr_check_numbered)
STUB(mr_check_land)
STUB(mr_check_discs)
STUB(mr_check_later)
STUB(mr_check_draw)
STUB(mr_check_rule)
STUB(mr_check_scatter)
STUB(mr_check_graph)
STUB(mr_check_override)
