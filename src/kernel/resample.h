// kernel/resample.h: images brought to another size.
//
// The height is resampled first, then the width, each pixel a sum of products in rising order of the source pixels, an
// f32 operation at a time: axis BOTH gives the bits of HEIGHT and then WIDTH. The weights are those of
// kernel/filter_weights.h. No sum depends on how the image is cut.
//
// NaN and infinities spread over the pixels that weigh theirs, as the sums say; clamping leaves a NaN as it is.

#ifndef MARRAM_KERNEL_RESAMPLE_H
#define MARRAM_KERNEL_RESAMPLE_H

#include "kernel/filter_weights.h"

enum { MR_RESAMPLE_LANES = 16 };

typedef enum mr_resample_axis { MR_RESAMPLE_WIDTH, MR_RESAMPLE_HEIGHT, MR_RESAMPLE_BOTH } mr_resample_axis;

// Slices of source_width x source_height pixels of `lanes` words, rows one after another. The axis left alone keeps the
// source's size, whatever width or height says. Lanes outside lane_base .. lane_base + lane_count - 1 are not written.
typedef struct mr_resample_spec {
    mr_filter filter;
    mr_resample_axis axis;
    size_t slices;
    size_t source_width, source_height; // 1 to 2^30 - 1
    size_t width, height;
    size_t lanes, lane_base, lane_count; // lane_count at most MR_RESAMPLE_LANES
    bool clamp;                          // answers are held to low .. high, low not above high
    float low, high;
} mr_resample_spec;

// The size of what the spec answers, a slice.
size_t mr_resample_width(const mr_resample_spec *spec);
size_t mr_resample_height(const mr_resample_spec *spec);

// out and source do not overlap. Errors: MR_LIMIT, MR_OUT_OF_MEMORY, MR_CANCELLED (out is then part written).
bool mr_resample(mr_context *context, const mr_resample_spec *spec, const float *source, float *out,
                 mr_error *error);

// What the copies of resample.isa.c are called with: a block of one slice's output, at most MR_RESAMPLE_ROWS high.
enum { MR_RESAMPLE_ROWS = 16 };
typedef struct mr_resample_block {
    const mr_resample_spec *spec;
    const mr_filter_taps *across, *down; // NULL: that axis stays
    const float *source;                 // of the slice
    float *out;
    size_t row, rows;       // in the output
    size_t column, columns; // in the output
    // Scratch, where the width is resampled: the source columns the block reads with the height done, a column at a
    // time, the lanes asked for and MR_RESAMPLE_ROWS rows of each. 64-byte aligned.
    float *turned;
} mr_resample_block;

typedef struct mr_resample_kernels {
    void (*block)(const mr_resample_block *block);
} mr_resample_kernels;

#endif
