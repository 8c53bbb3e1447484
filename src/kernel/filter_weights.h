// kernel/filter_weights.h: the filters an image is resampled with, and which source pixels an output pixel weighs.
//
// Along one axis, output pixel i of `out` stands over source place c = (i + 1/2) in / out - 1/2. A filter reaches
// `support` output pixels to either side; where the image shrinks it is stretched by in / out, so that it averages what
// it drops, and where it grows it is left as it is. Pixels past an edge read the edge pixel: their weights are added to
// its own. Weights are worked in f64 in rising order of the pixels, divided by their sum and rounded once to f32; zeros
// at either end are left out, so that a size that stays answers the pixel itself.
//
// Sources: Keys 1981 (Catmull-Rom as cubic convolution with a = -1/2); Duchon 1979 (Lanczos windows); Turkowski 1990,
// "Filters for common resampling tasks".

#ifndef MARRAM_KERNEL_FILTER_WEIGHTS_H
#define MARRAM_KERNEL_FILTER_WEIGHTS_H

#include "base/context.h"

typedef enum mr_filter {
    MR_FILTER_BILINEAR,    // a triangle
    MR_FILTER_LANCZOS3,    // sinc(x) sinc(x / 3)
    MR_FILTER_CATMULL_ROM, // the interpolating cubic
    MR_FILTER_NEAREST      // the pixel under c, never stretched
} mr_filter;
#define MR_FILTER_CHOICES "bilinear lanczos3 catmull_rom nearest" // the same order

// How far a filter reaches, and what it weighs a pixel at distance x with, both in output pixels (source pixels where
// the image grows). Not divided by any sum. Exactly 0 at whole numbers other than 0, and from the support on.
double mr_filter_support(mr_filter filter);
double mr_filter_weight(mr_filter filter, double x);

// The pixels first[i] .. first[i] + count[i] - 1 that output pixel i weighs with weights[i * most ...].
typedef struct mr_filter_taps {
    size_t out;
    size_t most; // of the counts, at least
    uint32_t *first;
    uint32_t *count; // 1 or more
    float *weights;
} mr_filter_taps;

// in and out are 1 or more, in below 2^30. Errors: MR_LIMIT, MR_OUT_OF_MEMORY, MR_CANCELLED.
bool mr_filter_taps_make(mr_context *context, mr_filter filter, size_t in, size_t out, mr_filter_taps *taps,
                         mr_error *error);
void mr_filter_taps_release(mr_context *context, mr_filter_taps *taps); // a zeroed one is allowed

#endif
