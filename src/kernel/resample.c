// kernel/resample.c: images brought to another size, a block at a time.

#include "kernel/resample.h"

#include "base/isa.h"
#include "base/memory.h"
#include "base/thread.h"
#include "kernel/kernel.h"

#include <math.h>

MR_ISA_TABLES(mr_resample_kernels, mr_resample_kernels);

// Source words of a row that a block's scratch holds, sixteen times, where no filter is wider.
enum { SPAN = 4096 };

size_t mr_resample_width(const mr_resample_spec *spec)
{
    return spec->axis == MR_RESAMPLE_HEIGHT ? spec->source_width : spec->width;
}

size_t mr_resample_height(const mr_resample_spec *spec)
{
    return spec->axis == MR_RESAMPLE_WIDTH ? spec->source_height : spec->height;
}

typedef struct cut {
    mr_context *context;
    const mr_resample_kernels *kernels;
    mr_resample_block whole; // of the first slice; its columns are a block's
    size_t width, height;    // of a slice's output
    size_t across, down;     // blocks a slice
    size_t turned;           // bytes of a block's scratch
} cut;

static bool run_blocks(void *argument, size_t begin, size_t end, mr_error *error)
{
    const cut *c = argument;
    const mr_resample_spec *spec = c->whole.spec;
    float *turned = c->turned ? mr_buffer_take(c->context, c->turned, error) : NULL;
    bool good = turned || !c->turned;
    for (size_t k = begin; k < end && good && (good = mr_keep_going(c->context, error)); k++) {
        mr_resample_block block = c->whole;
        size_t slice = k / (c->across * c->down), rest = k % (c->across * c->down);
        block.turned = turned;
        block.source += slice * spec->source_width * spec->source_height * spec->lanes;
        block.out += slice * c->width * c->height * spec->lanes;
        block.row = rest / c->across * MR_RESAMPLE_ROWS;
        block.rows = c->height - block.row < MR_RESAMPLE_ROWS ? c->height - block.row : MR_RESAMPLE_ROWS;
        block.column = rest % c->across * c->whole.columns;
        block.columns =
            c->width - block.column < c->whole.columns ? c->width - block.column : c->whole.columns;
        c->kernels->block(&block);
    }
    mr_buffer_release(c->context, turned);
    return good;
}

// How wide blocks are, and the scratch the widest of them needs: the overlap of neighbours stays small.
static bool cut_columns(cut *c, mr_error *error)
{
    const mr_filter_taps *taps = c->whole.across;
    size_t taken = c->whole.spec->lane_count, widest = 0;
    size_t span = SPAN / taken > 4 * taps->most ? SPAN / taken : 4 * taps->most;
    double shrink = (double)c->whole.spec->source_width / (double)c->width;
    double columns = (double)(span - taps->most) / shrink;
    c->whole.columns = columns < 1 ? 1 : columns < (double)c->width ? (size_t)columns : c->width;
    for (size_t x = 0; x < c->width; x += c->whole.columns) {
        size_t last = (c->width - x < c->whole.columns ? c->width : x + c->whole.columns) - 1;
        size_t reads = taps->first[last] + taps->count[last] - taps->first[x];
        widest = reads > widest ? reads : widest;
    }
    if (!mr_size_multiply(widest, taken * MR_RESAMPLE_ROWS * sizeof(float), &c->turned)) {
        return mr_fail(error, MR_LIMIT, "a row of %zu pixels does not fit in memory", widest);
    }
    return true;
}

static bool run_cut(mr_context *context, const mr_resample_spec *spec, const mr_filter_taps *across,
                    const mr_filter_taps *down, const float *source, float *out, mr_error *error)
{
    cut c = { .context = context,
              .kernels = MR_ISA_PICK(mr_resample_kernels, mr_context_isa(context)),
              .whole = { .spec = spec,
                         .across = across,
                         .down = down,
                         .source = source,
                         .out = out,
                         .columns = mr_resample_width(spec) },
              .width = mr_resample_width(spec),
              .height = mr_resample_height(spec) };
    if (across && !cut_columns(&c, error)) {
        return false;
    }
    c.across = (c.width + c.whole.columns - 1) / c.whole.columns;
    c.down = (c.height + MR_RESAMPLE_ROWS - 1) / MR_RESAMPLE_ROWS;
    size_t blocks;
    if (!mr_size_multiply(c.across * c.down, spec->slices, &blocks)) {
        return mr_fail(error, MR_LIMIT, "%zu slices are too many", spec->slices);
    }
    return mr_parallel_for(context, blocks, 1, run_blocks, &c, error);
}

bool mr_resample(mr_context *context, const mr_resample_spec *spec, const float *source, float *out,
                 mr_error *error)
{
    mr_filter_taps across = { 0 }, down = { 0 };
    if (spec->slices == 0 || spec->lane_count == 0) {
        return true;
    }
    bool wide = spec->axis != MR_RESAMPLE_HEIGHT, high = spec->axis != MR_RESAMPLE_WIDTH;
    bool good = (!wide || mr_filter_taps_make(context, spec->filter, spec->source_width, spec->width, &across,
                                              error)) &&
                (!high || mr_filter_taps_make(context, spec->filter, spec->source_height, spec->height, &down,
                                              error)) &&
                run_cut(context, spec, wide ? &across : NULL, high ? &down : NULL, source, out, error);
    mr_filter_taps_release(context, &across);
    mr_filter_taps_release(context, &down);
    return good;
}

enum { FILTER };
enum { SRC, DST };
enum { SW, SH, DW, DH, SLICES, LANES, LANE_BASE, LANE_COUNT, AXIS, CLAMP_RANGE, LOW, HIGH };

static bool check_words(const mr_kernel_call *call, const mr_resample_spec *spec, mr_error *error)
{
    size_t pixels = mr_resample_width(spec) * mr_resample_height(spec), all;
    if (!mr_size_multiply(pixels, spec->slices, &all) || all != call->n) {
        return mr_kernel_refuse(error, call->kernel, NULL,
                                "%zu slices of %zu x %zu pixels are written; the domain is %zu", spec->slices,
                                mr_resample_width(spec), mr_resample_height(spec), call->n);
    }
    if (spec->lane_base + spec->lane_count > spec->lanes) {
        return mr_kernel_refuse(error, call->kernel, NULL,
                                "laneBase %zu and laneCount %zu pass the %zu lanes of a pixel",
                                spec->lane_base, spec->lane_count, spec->lanes);
    }
    if (call->slots[DST].element != MR_F32) {
        return mr_kernel_refuse(error, call->kernel, "dst", "holds floats");
    }
    if (spec->clamp && !(spec->low <= spec->high)) {
        return mr_kernel_refuse(error, call->kernel, NULL, "clampRange is on and lo is not at most hi");
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_word *params = call->params;
    mr_resample_spec spec = { .filter = (mr_filter)call->choices[FILTER],
                              .axis = (mr_resample_axis)params[AXIS].u32,
                              .slices = params[SLICES].u32,
                              .source_width = params[SW].u32,
                              .source_height = params[SH].u32,
                              .width = params[DW].u32,
                              .height = params[DH].u32,
                              .lanes = params[LANES].u32,
                              .lane_base = params[LANE_BASE].u32,
                              .lane_count = params[LANE_COUNT].u32,
                              .clamp = params[CLAMP_RANGE].u32 != 0,
                              .low = params[LOW].f32,
                              .high = params[HIGH].f32 };
    return check_words(call, &spec, error) &&
           (mr_resample(call->context, &spec, call->slots[SRC].f32, call->slots[DST].f32, error) ||
            mr_fail_prefix(error, "kernel %s", call->kernel->name));
}

enum { MOST_PIXELS = 1 << 28 }; // along an axis

const mr_kernel mr_kernel_resample = {
    .name = "resample",
    .summary =
        "Images (texels, a layer of a grid, the tiles of a raster) brought to another size, the height "
        "first and then the width.",
    .source = "Keys 1981; Duchon 1979; Turkowski 1990 (see kernel/filter_weights.h)",
    .determinism = MR_EXACT,
    .gpu =
        "Exact, when the weights come from here: a pixel is a sum of products in a stated order, the height "
        "first.",
    .bindings = { { .name = "src",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .flat = true,
                    .count = "slices * sw * sh * lanes",
                    .doc = "The images, one after another, each a row of x at a time." },
                  { .name = "dst",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_F32,
                    .flat = true,
                    .count = "n * lanes",
                    .doc =
                        "The same at the size it comes to. What it holds in the lanes left alone stays." } },
    .params = { { .name = "sw",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 1,
                  .high = MOST_PIXELS,
                  .doc = "Pixels across a source image." },
                { .name = "sh",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 1,
                  .high = MOST_PIXELS,
                  .doc = "Pixels down a source image." },
                { .name = "dw",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 1,
                  .high = MOST_PIXELS,
                  .doc = "Pixels across, where axis names the width." },
                { .name = "dh",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 1,
                  .high = MOST_PIXELS,
                  .doc = "Pixels down, where axis names the height." },
                { .name = "slices",
                  .type = MR_U32,
                  .value = 1,
                  .low = 0,
                  .high = MOST_PIXELS,
                  .doc = "How many images." },
                { .name = "lanes",
                  .type = MR_U32,
                  .value = 1,
                  .low = 1,
                  .high = 1 << 16,
                  .doc = "Values a pixel." },
                { .name = "laneBase",
                  .type = MR_U32,
                  .value = 0,
                  .low = 0,
                  .high = 1 << 16,
                  .doc = "The first of the lanes that are resampled." },
                { .name = "laneCount",
                  .type = MR_U32,
                  .value = 1,
                  .low = 1,
                  .high = MR_RESAMPLE_LANES,
                  .doc = "How many lanes are." },
                { .name = "axis",
                  .type = MR_U32,
                  .value = 2,
                  .low = 0,
                  .high = 2,
                  .doc = "0: the width alone, 1: the height alone, 2: both." },
                { .name = "clampRange",
                  .type = MR_U32,
                  .value = 0,
                  .low = 0,
                  .high = 1,
                  .doc = "1: every answer is held to lo .. hi." },
                { .name = "lo", .type = MR_F32, .value = 0, .doc = "The least an answer may be." },
                { .name = "hi", .type = MR_F32, .value = 1, .doc = "The most an answer may be." } },
    .specializations = { { .name = "FILTER",
                           .options = MR_FILTER_CHOICES,
                           .doc = "What pixels are weighed with. nearest takes the pixel underneath." } },
    .run = run,
};
