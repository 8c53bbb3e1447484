// kernel/boolean.c: the stages of a boolean, one after the other.

#include "kernel/boolean.h"

#include "kernel/boolean_state.h"

static bool check_counts(const boolean_side *side, mr_error *error)
{
    if (side->mesh.triangle_count > (size_t)INT32_MAX / 3 || side->mesh.point_count > (size_t)INT32_MAX / 4) {
        return mr_fail(error, MR_LIMIT,
                       "boolean: operand %s has more points or triangles than can be numbered", side->name);
    }
    return true;
}

// As near as two roundings of f32 may bring what is one: two of its steps, where coordinates are largest.
static double tolerance_of(const boolean *b)
{
    double most = 0.0;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            double low = __builtin_fabs((double)b->side[i].box.low[k]);
            double high = __builtin_fabs((double)b->side[i].box.high[k]);
            bool empty = b->side[i].mesh.triangle_count == 0;
            most = !empty && low > most ? low : most;
            most = !empty && high > most ? high : most;
        }
    }
    return most * 0x1p-22;
}

static void begin(boolean *b, const mr_triangles *a, const mr_triangles *c)
{
    mr_arena_init(&b->arena, b->context);
    b->side[0] = (boolean_side){ .mesh = *a, .name = "A" };
    b->side[1] = (boolean_side){ .mesh = *c, .name = "B", .base = (uint32_t)a->point_count };
    b->total = (uint32_t)(a->point_count + c->point_count);
    b->slope = b->op == MR_BOOLEAN_INTERSECTION ? 1 : -1;
    b->side[0].constant = b->op != MR_BOOLEAN_INTERSECTION;
    b->side[1].constant = b->op == MR_BOOLEAN_UNION;
}

static bool run(boolean *b, mr_boolean_mesh *answer, mr_error *error)
{
    if (!check_counts(&b->side[0], error) || !check_counts(&b->side[1], error) ||
        !boolean_check(b, 0, error) || !boolean_check(b, 1, error)) {
        return false;
    }
    b->tolerance = tolerance_of(b);
    return boolean_cross(b, error) && boolean_wind(b, error) && boolean_chain(b, error) &&
           boolean_settle(b, error) && boolean_fill(b, error) && boolean_close(b, answer, error);
}

bool mr_boolean(mr_context *context, mr_boolean_op op, const mr_triangles *a, const mr_triangles *b,
                mr_boolean_mesh *answer, mr_error *error)
{
    boolean state = { .context = context, .op = op };
    *answer = (mr_boolean_mesh){ 0 };
    begin(&state, a, b);
    bool good = run(&state, answer, error);
    mr_array_free(context, &state.faces);
    mr_array_free(context, &state.edges);
    mr_array_free(context, &state.made);
    mr_arena_destroy(&state.arena);
    if (!good) {
        mr_boolean_release(context, answer);
    }
    return good;
}

void mr_boolean_release(mr_context *context, mr_boolean_mesh *mesh)
{
    mr_buffer_release(context, mesh->points);
    mr_buffer_release(context, mesh->triangles);
    mr_buffer_release(context, mesh->sources);
    *mesh = (mr_boolean_mesh){ 0 };
}
