// io/layout.h: everything a scene's scatters placed, as CSV: a line a thing, in the lists' order.

#ifndef MARRAM_IO_LAYOUT_H
#define MARRAM_IO_LAYOUT_H

#include "data/scene.h"

// The columns are path,rule,kind,variant,x,y,z,turn,size,room,key; metres and radians, as %.9g, which reads back to the same
// f32. The file appears whole or not at all. Errors: MR_SYSTEM, MR_OUT_OF_MEMORY.
bool mr_layout_save(mr_context *context, const mr_scene *scene, const char *path, mr_error *error);

#endif
