// kernel/blend.h: how what a pass makes meets what a layer holds.

#ifndef MARRAM_KERNEL_BLEND_H
#define MARRAM_KERNEL_BLEND_H

typedef enum mr_blend { MR_BLEND_REPLACE, MR_BLEND_ADD, MR_BLEND_MAX, MR_BLEND_MIN } mr_blend;
#define MR_BLEND_CHOICES "replace add max min" // the same order

// What old becomes at full strength. Where the two are equal, old stays; a NaN value stays out of max and min.
static inline float mr_blend_full(mr_blend blend, float old, float value)
{
    return blend == MR_BLEND_REPLACE ? value
           : blend == MR_BLEND_ADD   ? old + value
           : blend == MR_BLEND_MAX   ? (value > old ? value : old)
                                     : (value < old ? value : old);
}

// The same at a weight: 1 or more is full strength, 0 or less (and NaN) keeps old to the bit.
static inline float mr_blend_at(mr_blend blend, float old, float value, float weight)
{
    float full = mr_blend_full(blend, old, value);
    float part = old + (full - old) * weight;
    return weight >= 1.0f ? full : weight > 0.0f ? part : old;
}

#endif
