// marram/marram.h: the whole public face.

#ifndef MARRAM_MARRAM_H
#define MARRAM_MARRAM_H

#include <marram/base.h>
#include <marram/scene.h>
#include <marram/world.h>

#endif
