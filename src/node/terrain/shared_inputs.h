// node/terrain/shared_inputs.h: the inputs every terrain node spells alike.

#ifndef MARRAM_NODE_TERRAIN_SHARED_INPUTS_H
#define MARRAM_NODE_TERRAIN_SHARED_INPUTS_H

#include "graph/node.h"
#include "kernel/blend.h"

#define TERRAIN_RASTER_INPUT                                                                                 \
    {                                                                                                        \
        .name = "raster", .type = MR_RASTER, .flags = MR_REQUIRED, .doc = "The ground."                      \
    }

#define TERRAIN_LAYER_INPUT                                                                                  \
    {                                                                                                        \
        .name = "layer", .type = MR_TEXT, .text = "height",                                                  \
        .doc = "The layer written; made, filled with 0, where the ground has none of the name."              \
    }

#define TERRAIN_BLEND_INPUT(default_blend)                                                                   \
    {                                                                                                        \
        .name = "blend", .type = MR_CHOICE, .choices = MR_BLEND_CHOICES, .text = (default_blend),            \
        .doc = "How what is made meets what the layer holds."                                                \
    }

#define TERRAIN_MASK_INPUTS                                                                                  \
    { .name = "mask",                                                                                        \
      .type = MR_TEXT,                                                                                       \
      .text = "",                                                                                            \
      .doc = "A layer that says where to apply, 0 nowhere to 1 fully; empty: everywhere." },                 \
        { .name = "maskMode",                                                                                \
          .type = MR_CHOICE,                                                                                 \
          .choices = "multiply subtract",                                                                    \
          .text = "multiply",                                                                                \
          .doc = "Apply where the mask is (multiply), or where it is not (subtract)." },                     \
    {                                                                                                        \
        .name = "maskGain", .type = MR_NUMBER, .value = 1, MR_WITHIN(0, 1e6),                                \
        .doc = "What the mask is multiplied by before it is held to 0..1."                                   \
    }

#define TERRAIN_SHAPE_INPUT                                                                                  \
    {                                                                                                        \
        .name = "shape", .type = MR_CHOICE, .choices = "disc square", .text = "disc",                        \
        .doc = "How distance from the middle is measured: round, or along the farther axis."                 \
    }

#define TERRAIN_RASTER_OUTPUTS                                                                               \
    {                                                                                                        \
        {                                                                                                    \
            .name = "raster", .type = MR_RASTER, .doc = "The ground."                                        \
        }                                                                                                    \
    }

// Metres a position may have, either way.
#define TERRAIN_FAR 1e12
#define TERRAIN_AT_INPUT                                                                                     \
    {                                                                                                        \
        .name = "at", .type = MR_VEC2, .unit = MR_METRES, MR_WITHIN(-TERRAIN_FAR, TERRAIN_FAR),              \
        .doc = "The middle, as (x, z)."                                                                      \
    }

#endif
