// num/perlin.h: Perlin's improved noise, which scripts know as math.noise.

#ifndef MARRAM_NUM_PERLIN_H
#define MARRAM_NUM_PERLIN_H

// In f32, about -1 to 1, 0 at whole coordinates, repeating after 256 along each axis. What is not finite counts as 0.
// Perlin, "Improving Noise" (SIGGRAPH 2002), with its published permutation.
float mr_perlin3(float x, float y, float z);

#endif
