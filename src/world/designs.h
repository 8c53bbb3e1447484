// world/designs.h: which top-level parts are designs.

#ifndef MARRAM_WORLD_DESIGNS_H
#define MARRAM_WORLD_DESIGNS_H

#include "world/scope.h"

// A top-level part that an expression names behind a part's colon, in place:, in spawn(...), or calls, is a design; it is
// not part of the world itself.
void mr_designs_mark(mr_shapes *shapes);

#endif
