#include "world/builtins.h"

#include "world/builtin_tables.h"

static const mr_builtin *const tables[] = { mr_number_builtins,    mr_list_builtins,    mr_land_builtins,
                                            mr_elevation_builtins, mr_scatter_builtins, mr_part_builtins,
                                            mr_later_builtins };
enum { TABLES = sizeof tables / sizeof *tables };

const mr_builtin *mr_builtin_find(mr_home home, mr_view name)
{
    for (size_t t = 0; t < TABLES; t++) {
        for (const mr_builtin *one = tables[t]; one->name; one++) {
            if (one->home == home && mr_view_is(name, one->name)) {
                return one;
            }
        }
    }
    return NULL;
}

const mr_builtin *mr_builtin_at(mr_home home, size_t index)
{
    for (size_t t = 0; t < TABLES; t++) {
        for (const mr_builtin *one = tables[t]; one->name; one++) {
            if (one->home == home && index-- == 0) {
                return one;
            }
        }
    }
    return NULL;
}

static const char *const packages[] = { "groundcover", "weberpenn", "noiserock", "leafrosette",
                                        "morphogen",   "boidflock", NULL };

const char *mr_package_at(size_t index)
{
    return index < sizeof packages / sizeof *packages ? packages[index] : NULL;
}

static size_t param_count(const mr_builtin *builtin)
{
    size_t count = 0;
    while (count < MR_PARAM_MAX && builtin->params[count].name) {
        count++;
    }
    return count;
}

static bool bind_named(const mr_builtin *builtin, const mr_argument *argument,
                       const mr_argument *given[MR_PARAM_MAX], char message[MR_MESSAGE_SIZE],
                       char hint[MR_HINT_SIZE])
{
    size_t count = param_count(builtin);
    for (size_t i = 0; i < count; i++) {
        if (mr_view_is(argument->name, builtin->params[i].name)) {
            if (given[i]) {
                mr_text_format(message, MR_MESSAGE_SIZE, "%s: %s is given twice", builtin->name,
                               builtin->params[i].name);
                return false;
            }
            given[i] = argument;
            return true;
        }
    }
    const char *names[MR_PARAM_MAX];
    for (size_t i = 0; i < count; i++) {
        names[i] = builtin->params[i].name;
    }
    mr_text_format(message, MR_MESSAGE_SIZE, "%s has no option %.*s", builtin->name,
                   MR_VIEW_ARGS(argument->name));
    mr_name_hint(argument->name, names, count, hint, MR_HINT_SIZE);
    return false;
}

bool mr_bind_arguments(const mr_builtin *builtin, const mr_expr *call, const mr_argument *given[MR_PARAM_MAX],
                       const mr_argument *rest[MR_REST_MAX], size_t *rest_count, mr_place *place,
                       char message[MR_MESSAGE_SIZE], char hint[MR_HINT_SIZE])
{
    size_t count = param_count(builtin), next = 0;
    *rest_count = 0;
    hint[0] = 0;
    memset((void *)given, 0, MR_PARAM_MAX * sizeof *given);
    for (size_t i = 0; i < call->item_count; i++) {
        const mr_argument *argument = &call->items[i];
        *place = argument->place;
        if (argument->name.size > 0) {
            if (!bind_named(builtin, argument, given, message, hint)) {
                return false;
            }
            continue;
        }
        while (next < count && (given[next] || (builtin->params[next].flags & MR_PARAM_NAMED))) {
            next++;
        }
        if (next < count && (builtin->params[next].flags & MR_PARAM_REST)) {
            if (*rest_count == MR_REST_MAX) {
                mr_text_format(message, MR_MESSAGE_SIZE, "%s takes at most %d values", builtin->name,
                               MR_REST_MAX);
                mr_text_format(hint, MR_HINT_SIZE, "give it a list");
                return false;
            }
            rest[(*rest_count)++] = argument;
        } else if (next < count) {
            given[next++] = argument;
        } else {
            mr_text_format(message, MR_MESSAGE_SIZE,
                           count == 0 ? "%s takes no arguments" : "%s takes fewer arguments", builtin->name);
            return false;
        }
    }
    *place = call->place;
    for (size_t i = 0; i < count; i++) {
        bool rest_here = (builtin->params[i].flags & MR_PARAM_REST) != 0;
        if (!given[i] && !(builtin->params[i].flags & MR_PARAM_OPTIONAL) && !(rest_here && *rest_count > 0)) {
            mr_text_format(message, MR_MESSAGE_SIZE, "%s: %s is missing", builtin->name,
                           builtin->params[i].name);
            return false;
        }
    }
    return true;
}
