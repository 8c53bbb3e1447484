// world/builtin_tables.h: the tables builtins.c goes through. Each ends with a NULL name.

#ifndef MARRAM_WORLD_BUILTIN_TABLES_H
#define MARRAM_WORLD_BUILTIN_TABLES_H

#include "world/builtins.h"

extern const mr_builtin mr_number_builtins[];    // functions of numbers
extern const mr_builtin mr_list_builtins[];      // what lists answer
extern const mr_builtin mr_land_builtins[];      // lands, spines, outlines: makers and questions
extern const mr_builtin mr_elevation_builtins[]; // height files as ground
extern const mr_builtin mr_scatter_builtins[];   // streams, rules, candidate makers, scatter
extern const mr_builtin mr_part_builtins[];      // cameras, lights, graphs
extern const mr_builtin mr_later_builtins[];     // known, checked, not carried out yet

#endif
