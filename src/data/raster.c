#include "data/raster.h"

#include "base/context.h"
#include "base/text.h"

// No machine holds more; without a memory limit of the context's own this stands in for it.
static const double most_bytes = 1099511627776.0;

// A layer's size against what the context may hold, before anything is asked for.
static bool check_size(mr_context *context, uint32_t width, uint32_t height, uint32_t margin, mr_error *error)
{
    double columns = (double)width + 2.0 * margin;
    double rows = (double)height + 2.0 * margin;
    uint64_t own = mr_context_memory_limit(context);
    double limit = own ? (double)own : most_bytes;
    if (columns * rows * 4 <= limit) {
        return true;
    }
    mr_fail(error, MR_LIMIT, "%u x %u cells of 4 bytes and a margin of %u: %.4g GB; the limit is %.4g GB",
            width, height, margin, columns * rows * 4e-9, limit * 1e-9);
    return mr_hint(error, "ask for a coarser resolution or a smaller rect");
}

mr_raster *mr_raster_create(mr_context *context, int64_t corner_x, int64_t corner_z, double cell,
                            uint32_t width, uint32_t height, uint32_t margin, mr_error *error)
{
    if (!(cell >= 1e-6 && cell <= 1e6)) {
        mr_fail(error, MR_BAD_INPUT, "a cell of %g m; it must be 0.000001 m to 1000000 m", cell);
        return NULL;
    }
    if (width == 0 || height == 0) {
        mr_fail(error, MR_BAD_INPUT, "%u x %u cells; a raster has at least one each way", width, height);
        return NULL;
    }
    double columns = (double)width + 2.0 * margin;
    double rows = (double)height + 2.0 * margin;
    if (!check_size(context, width, height, margin, error)) {
        return NULL;
    }
    double far_x = ((double)corner_x < 0 ? -(double)corner_x : (double)corner_x) + columns;
    double far_z = ((double)corner_z < 0 ? -(double)corner_z : (double)corner_z) + rows;
    if (far_x * cell > 1e12 || far_z * cell > 1e12) {
        mr_fail(error, MR_BAD_INPUT, "the rect reaches %g m from the world's middle; the limit is 1e+12 m",
                (far_x > far_z ? far_x : far_z) * cell);
        return NULL;
    }
    mr_raster *raster = mr_allocate_zeroed(context, sizeof *raster);
    if (!raster) {
        mr_fail_memory(error, sizeof *raster);
        return NULL;
    }
    mr_refs_init(&raster->refs);
    raster->context = context;
    raster->corner_x = corner_x;
    raster->corner_z = corner_z;
    raster->cell = cell;
    raster->width = width;
    raster->height = height;
    raster->margin = margin;
    return raster;
}

mr_raster *mr_raster_retain(mr_raster *raster)
{
    mr_refs_retain(&raster->refs);
    return raster;
}

void mr_raster_release(mr_raster *raster)
{
    if (!raster || !mr_refs_release(&raster->refs)) {
        return;
    }
    for (uint32_t i = 0; i < raster->layer_count; i++) {
        mr_column_release(raster->layers[i].column);
    }
    mr_free(raster->context, raster);
}

mr_raster *mr_raster_writable(mr_raster *raster, mr_error *error)
{
    if (mr_refs_alone(&raster->refs)) {
        return raster;
    }
    mr_raster *copy = mr_raster_create(raster->context, raster->corner_x, raster->corner_z, raster->cell,
                                       raster->width, raster->height, raster->margin, error);
    for (uint32_t i = 0; copy && i < raster->layer_count; i++) {
        copy->layers[i] = raster->layers[i];
        mr_column_retain(copy->layers[i].column);
        copy->layer_count++;
    }
    mr_raster_release(raster);
    return copy;
}

static mr_raster_layer *find_layer(const mr_raster *raster, const char *name)
{
    for (uint32_t i = 0; i < raster->layer_count; i++) {
        if (strcmp(raster->layers[i].name, name) == 0) {
            return (mr_raster_layer *)&raster->layers[i];
        }
    }
    return NULL;
}

const float *mr_raster_layer_read(const mr_raster *raster, const char *name)
{
    const mr_raster_layer *layer = find_layer(raster, name);
    return layer ? layer->column->f32 : NULL;
}

static mr_column *new_cells(const mr_raster *raster, mr_error *error)
{
    size_t cells = mr_raster_stride(raster) * mr_raster_rows(raster);
    mr_column *column = mr_column_create(raster->context, MR_COLUMN_FLOAT, cells, error);
    if (!column && error && error->status == MR_LIMIT) {
        mr_fail_prefix(error, "%u x %u cells of 4 bytes with a margin of %u", raster->width, raster->height,
                       raster->margin);
    }
    return column;
}

static mr_raster_layer *add_layer(mr_raster *raster, const char *name, mr_error *error)
{
    size_t length = strlen(name);
    if (length == 0 || length >= sizeof raster->layers->name) {
        mr_fail(error, MR_BAD_INPUT, "a layer's name has 1 to %zu bytes, not %zu",
                sizeof raster->layers->name - 1, length);
        return NULL;
    }
    if (raster->layer_count == MR_RASTER_LAYERS) {
        mr_fail(error, MR_LIMIT, "the layer %s would be the raster's %dth; it holds %d", name,
                MR_RASTER_LAYERS + 1, MR_RASTER_LAYERS);
        return NULL;
    }
    mr_column *column = new_cells(raster, error);
    if (!column) {
        return NULL;
    }
    mr_raster_layer *layer = &raster->layers[raster->layer_count++];
    memset(layer->name, 0, sizeof layer->name);
    memcpy(layer->name, name, length);
    layer->column = column;
    return layer;
}

float *mr_raster_layer_write(mr_raster *raster, const char *name, float fill, mr_error *error)
{
    mr_raster_layer *layer = find_layer(raster, name);
    if (!layer) {
        layer = add_layer(raster, name, error);
        for (size_t i = 0; layer && i < layer->column->count; i++) {
            layer->column->f32[i] = fill;
        }
        return layer ? layer->column->f32 : NULL;
    }
    mr_column *mine = layer->column;
    if (mr_refs_alone(&mine->refs)) {
        mr_column_reopen(mine);
        return mine->f32;
    }
    mr_column *copy = new_cells(raster, error);
    if (!copy) {
        return NULL;
    }
    memcpy(copy->data, mine->data, mine->count * sizeof(float));
    mr_column_release(mine);
    layer->column = copy;
    return copy->f32;
}

float *mr_raster_layer_replace(mr_raster *raster, const char *name, mr_error *error)
{
    mr_raster_layer *layer = find_layer(raster, name);
    if (!layer) {
        layer = add_layer(raster, name, error);
    } else if (!mr_refs_alone(&layer->column->refs)) {
        mr_column *fresh = new_cells(raster, error);
        if (!fresh) {
            return NULL;
        }
        mr_column_release(layer->column);
        layer->column = fresh;
    } else {
        mr_column_reopen(layer->column);
    }
    return layer ? layer->column->f32 : NULL;
}

bool mr_raster_range(const mr_raster *raster, const char *name, float *low, float *high)
{
    const float *cells = mr_raster_layer_read(raster, name);
    size_t stride = mr_raster_stride(raster);
    bool any = false;
    for (size_t j = 0; cells && j < raster->height; j++) {
        const float *row = cells + (j + raster->margin) * stride + raster->margin;
        for (size_t i = 0; i < raster->width; i++) {
            if (row[i] != row[i]) {
                continue;
            }
            *low = any && *low < row[i] ? *low : row[i];
            *high = any && *high > row[i] ? *high : row[i];
            any = true;
        }
    }
    return any;
}

void mr_raster_digest(const mr_raster *raster, mr_digester *digester)
{
    mr_digest_u64(digester, (uint64_t)raster->corner_x);
    mr_digest_u64(digester, (uint64_t)raster->corner_z);
    mr_digest_f64(digester, raster->cell);
    mr_digest_u64(digester, raster->width);
    mr_digest_u64(digester, raster->height);
    mr_digest_u64(digester, raster->margin);
    // By name: the order in which layers were added is not part of the answer.
    bool done[MR_RASTER_LAYERS] = { false };
    for (uint32_t n = 0; n < raster->layer_count; n++) {
        uint32_t least = MR_RASTER_LAYERS;
        for (uint32_t i = 0; i < raster->layer_count; i++) {
            if (!done[i] && (least == MR_RASTER_LAYERS ||
                             strcmp(raster->layers[i].name, raster->layers[least].name) < 0)) {
                least = i;
            }
        }
        done[least] = true;
        mr_digest_text(digester, mr_view_of(raster->layers[least].name));
        mr_column_digest(raster->layers[least].column, digester);
    }
}
